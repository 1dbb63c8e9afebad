"""Translates PairSpot's Mustache templates to those of the peers, Jinja and Go's `html/template`, so
that they render exactly the same page: partials and layouts are inlined, texts of one language
become plain text, and names are resolved in their scope once, here, and not for every page. The
result is like a template written by hand."""

import json
import re

TAG = re.compile(r"\{\{(\{|[#^/>$<&!]?)\s*([^}]*?)\s*\}?\}\}")

# Names of lists and objects; all other names are texts or flags.
SHAPES = {
    "Feed": {
        "page": "Page", "posts": ["Post"], "first": "First", "composer": "Composer",
        "waiting": "Link", "frozen": "Link", "together": "Together", "removed": "Link",
        "suspended": "Link", "empty_following": "Empty", "guest": "Link", "moments": "Moments",
        "home": "Home"},
    "Page": {"me": "Me", "tabs": ["Tab"], "rail": ["Tab"], "staff": "Menu", "settings": "Menu",
             "travel": "Travel", "unread_messages": "Messages",
             "toast": "Toast"},
    "Menu": {"items": ["Tab"], "groups": ["MenuGroup"]}, "MenuGroup": {"entries": ["Tab"]},
    "Moments": {"circles": ["Circle"]}, "Circle": {"people": ["Face"]},
    "Home": {"received": ["Received"], "check_in_due": "Link", "checked_in": "Link",
             "groups": ["Group"], "memory": "Memory", "alone": "Link"},
    "Me": {"partner": "Face"},
    "Composer": {"errors": "Errors", "kept": ["Kept"], "failed": ["Failed"]},
    "Errors": {"items": ["Item"]},
    "Post": {"days": "Days", "people": ["Face"], "images": ["Picture"]},
    "Together": {"people": ["Face"], "days": "Days"},
    "First": {}, "Link": {}, "Empty": {}, "Face": {}, "Tab": {}, "Days": {}, "Picture": {},
    "Kept": {}, "Failed": {}, "Item": {}, "Travel": {}, "Messages": {}, "Received": {}, "Group": {},
    "Memory": {}, "Toast": {},
}
NAMES = {
    "Feed": "everyone_link following_link following empty older may_post",
    "Page": "title language language_en language_zh_hant language_zh_hans theme theme_auto"
            " theme_light theme_dark assets csrf path member signed_out browser_user unread feet",
    "Menu": "", "MenuGroup": "group_id group", "Messages": "mark count", "Moments": "new_link",
    "Circle": "name link new own", "Received": "words link", "Group": "name link",
    "Home": "timer alert next_anniversary couple_link", "Memory": "link age content",
    "Me": "name initials avatar couple_name couple_link guest admin_link forget_link wallet_link",
    "Composer": "nonce content content_error public followers couple images_error remaining",
    "Errors": "count",
    "Post": "id link couple_name couple_link author_name age created_iso edited public followers"
            " couple content has_content grid like_count comment_count liked like_link unlike_link may_like"
            " join_link own promoted promote_link ours narrow_link edit_link report_link delete_link"
            " save_link saved",
    "Together": "couple_name couple_link since next_anniversary", "First": "newest",
    "Link": "link", "Empty": "follows_anybody", "Face": "name initials avatar",
    "Tab": "href icon label current unread waiting", "Days": "count",
    "Picture": "position link_full src_medium src_medium_webp alt width height",
    "Kept": "id thumb alt description number", "Failed": "name message", "Item": "field message email password current_password recovery_code code",
    "Toast": "text link link_text undo_action",
    "Travel": "action zone question move stay",
}

# Their digits are grouped: 1,780.
COUNTS = {"count", "like_count", "comment_count"}


class Compiler:
    """Translates to Jinja."""

    # What the names of variables begin with.
    sigil = ""

    def __init__(self, folder, language):
        self.folder = folder
        self.texts = json.loads((folder / f"locales/{language}.json").read_text())
        self.count = 0

    def compile(self, name):
        return self.render(self.parse(self.read(name)), [(None, "Feed")], {})

    def read(self, name):
        # PairSpot keeps rendered cards, and this peer renders them; there are no reported posts.
        if name == "partials/feed/card":
            name = "partials/post"
        return (self.folder / f"{name}.mustache").read_text()

    # Parsing

    def parse(self, text):
        """A tree of texts and tags; a tag alone on its line removes the line."""
        root = []
        stack, place = [("", "", root)], 0
        for tag in TAG.finditer(text):
            kind, name = tag.groups()
            start, end = tag.span()
            before = text.rfind("\n", 0, start) + 1
            after = text.find("\n", end)
            after = len(text) if after < 0 else after + 1
            alone = kind and kind not in "{&" and not text[before:start].strip() \
                and not text[end:after].strip() and before >= place
            if alone:
                start, end = before, after
            if start > place:
                stack[-1][2].append(("", text[place:start]))
            place = max(place, end)
            if kind in ("#", "^", "$", "<"):
                inside = []
                stack[-1][2].append((kind, name, inside))
                stack.append((kind, name, inside))
            elif kind == "/":
                if stack.pop()[1] != name:
                    raise ValueError(f"{name} ends and was not open")
            elif kind != "!":
                stack[-1][2].append((kind or "=", name))
        if len(stack) != 1:
            raise ValueError(f"{stack[-1][1]} stays open")
        root.append(("", text[place:]))
        return root

    # Rendering

    def render(self, nodes, scope, blocks):
        return "".join(self.node(node, scope, blocks) for node in nodes)

    def node(self, node, scope, blocks):
        kind, name = node[:2]
        if kind == "":
            return name
        if kind in ("=", "{", "&"):
            if name.startswith("t."):
                return self.text(name[2:], scope)
            return self.place(self.find(name, scope)[0], kind != "=")
        if kind == ">":
            return self.render(self.parse(self.read(name)), scope, blocks)
        if kind == "$":
            return self.render(blocks.get(name, node[2]), scope, blocks)
        if kind == "<":
            own = {child[1]: child[2] for child in node[2] if child[0] == "$"}
            return self.render(self.parse(self.read(name)), scope, own | blocks)
        expression, shape = self.find(name, scope)
        if kind == "^":
            inside = self.render(node[2], scope, blocks)
            return self.unless(expression, inside)
        if isinstance(shape, list):
            self.count += 1
            one = f"{self.sigil}one{self.count}"
            inside = self.render(node[2], [*scope, (one, shape[0])], blocks)
            return self.each(one, expression, inside)
        inner = [*scope, (expression, shape)] if shape else scope
        return self.when(expression, self.render(node[2], inner, blocks))

    # The language

    def member(self, base, name):
        return f"{base}['{name}']" if base else name

    def place(self, expression, trusted=False):
        return f"{{{{ {expression}{' | safe' if trusted else ''} }}}}"

    def grouped(self, expression):
        return self.place(f"'{{:,}}'.format({expression})")

    def when(self, expression, inside):
        return f"{{% if {expression} %}}{inside}{{% endif %}}"

    def unless(self, expression, inside):
        return self.when(f"not {expression}", inside)

    def each(self, one, expression, inside):
        return f"{{% for {one} in {expression} %}}{inside}{{% endfor %}}"

    def one_or_more(self, expression, one, more):
        return f"{{% if {expression} == 1 %}}{one}{{% else %}}{more}{{% endif %}}"

    # Texts and names

    def text(self, key, scope):
        """A text of the language, with its placeholders filled from the scope."""
        def words(text):
            text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace(
                '"', "&quot;").replace("'", "&#39;")

            def put(found):
                expression = self.find(found[1], scope)[0]
                return self.grouped(expression) if found[1] in COUNTS else self.place(expression)

            return re.sub(r"\{(\w+)\}", put, text)

        text = self.texts[key]
        if isinstance(text, str):
            return words(text)
        by = self.find(text.get("by", "count"), scope)[0]
        if "one" not in text or text["one"] == text["other"]:
            return words(text["other"])
        return self.one_or_more(by, words(text["one"]), words(text["other"]))

    def find(self, name, scope):
        """The innermost object that has a name, and its shape."""
        first, *rest = name.split(".")
        for base, shape in reversed(scope):
            if first in SHAPES[shape] or first in NAMES[shape].split():
                expression = self.member(base, first)
                found = SHAPES[shape].get(first)
                for part in rest:
                    expression = self.member(expression, part)
                    if part not in SHAPES[found] and part not in NAMES[found].split():
                        raise KeyError(name)
                    found = SHAPES[found].get(part)
                return expression, found
        raise KeyError(name)


class GoCompiler(Compiler):
    """Translates to Go's `html/template`: like_count of a post is its field LikeCount."""

    sigil = "$"

    def member(self, base, name):
        field = "".join(part.capitalize() for part in name.split("_"))
        return f"{base or '$'}.{field}"

    def place(self, expression, trusted=False):
        # Trusted values are of the type `template.HTML`.
        return f"{{{{{expression}}}}}"

    def grouped(self, expression):
        return self.place(f"grouped {expression}")

    def when(self, expression, inside):
        return f"{{{{if {expression}}}}}{inside}{{{{end}}}}"

    def unless(self, expression, inside):
        return self.when(f"not {expression}", inside)

    def each(self, one, expression, inside):
        return f"{{{{range {one} := {expression}}}}}{inside}{{{{end}}}}"

    def one_or_more(self, expression, one, more):
        return f"{{{{if eq {expression} 1}}}}{one}{{{{else}}}}{more}{{{{end}}}}"
