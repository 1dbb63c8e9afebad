package main

import (
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"html/template"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// What the template shows.

type feedPage struct {
	Page                                *chrome
	Posts                               []post
	EveryoneLink, FollowingLink, Older  string
	Following, Empty, MayPost           bool
	First                               *newestLink
	Composer                            *composer
	Waiting, Frozen, Removed, Suspended *link
	Guest                               *link
	Moments                             *moments
	Home                                *home
	Together                            *together
	EmptyFollowing                      *struct{ FollowsAnybody bool }
}

type link struct{ Link string }

type newestLink struct{ Newest string }

type chrome struct {
	Title, Language, Theme, Assets, Csrf, Path, BrowserUser, Unread string
	LanguageEn, LanguageZhHant, LanguageZhHans                      bool
	ThemeAuto, ThemeLight, ThemeDark, Member, SignedOut, Feet       bool
	Me                                                              *me
	Tabs, Rail                                                      []tab
	Staff, Settings                                                 *menu
	UnreadMessages                                                  *messages
	Toast                                                           *struct{ Text, Link, LinkText, UndoAction string }
	Travel                                                          *struct{ Action, Zone, Question, Move, Stay string }
}

// A menu beside the pages of the staff, or of the settings.
type menu struct {
	Items  []tab
	Groups []struct {
		GroupId, Group string
		Entries        []tab
	}
}

type messages struct {
	Mark  string
	Count int
}

type face struct{ Name, Initials, Avatar string }

type me struct {
	face
	CoupleName, CoupleLink, AdminLink, ForgetLink, WalletLink string
	Guest                                                     bool
	Partner                                                   *face
}

type tab struct {
	Href, Icon, Label, Unread, Waiting string
	Current                            bool
}

type composer struct {
	Nonce, Content, ContentError, ImagesError string
	Public, Followers, Couple                 bool
	Remaining                                 int
	Kept                                      []struct{ Id, Thumb, Alt, Description, Number string }
	Failed                                    []struct{ Name, Message string }
	Errors                                    *struct {
		Count int
		Items []struct{ Field, Message, Email, Password, CurrentPassword, RecoveryCode, Code string }
	}
}

type days struct{ Count int }

type together struct {
	CoupleName, CoupleLink, Since, NextAnniversary string
	People                                         []face
	Days                                           *days
}

type picture struct {
	Position, Width, Height                 int
	LinkFull, SrcMedium, SrcMediumWebp, Alt string
}

type post struct {
	Id, Link, CoupleName, CoupleLink, AuthorName, Age, CreatedIso, Grid  string
	LikeLink, UnlikeLink, JoinLink, SaveLink, PromoteLink, NarrowLink    string
	EditLink, ReportLink, DeleteLink                                     string
	Edited, Public, Followers, Couple, HasContent, Liked, Saved, MayLike bool
	Own, Ours, Promoted                                                  bool
	LikeCount, CommentCount                                              int
	Content                                                              template.HTML
	Days                                                                 *days
	People                                                               []face
	Images                                                               []picture
}

// A row of the feed's statement.
type postRow struct {
	id, coupleID, authorID, firstAvatar, secondAvatar []byte
	coupleName, authorName, content, visibility       string
	firstName, secondName                             sql.NullString
	anniversary, edited                               sql.NullInt64
	likes, comments, images                           int
	liked, saved                                      bool
	created                                           int64
}

func (s *server) card(row *postRow, viewer *person, when *clock) post {
	id, couple := hyphened(row.id), hyphened(row.coupleID)
	address := "/posts/" + id
	own, ours := string(row.authorID) == string(viewer.id), string(row.coupleID) == string(viewer.coupleID)
	card := post{
		Id: id, Link: address, CoupleName: row.coupleName, CoupleLink: "/couples/" + couple,
		AuthorName: row.authorName, Age: s.age(row.created, when),
		CreatedIso: time.Unix(row.created/1000, 0).UTC().Format("2006-01-02T15:04:05Z"),
		LikeLink:   address + "/like", UnlikeLink: address + "/unlike", SaveLink: address + "/save",
		EditLink:   address + "/edit",
		DeleteLink: address + "/delete", Edited: row.edited.Valid, Public: row.visibility == "public",
		Followers: row.visibility == "followers", Couple: row.visibility == "couple",
		HasContent: row.content != "", Liked: row.liked, Saved: row.saved, MayLike: viewer.role >= 2, Own: own, Ours: own || ours,
		LikeCount: row.likes, CommentCount: row.comments, Content: markup(row.content), Days: when.days(row.anniversary),
	}
	if row.saved {
		card.SaveLink = address + "/unsave"
	}
	if ours && card.Public && viewer.mayPost {
		card.PromoteLink = address + "/promote"
	}
	if ours && !own && !card.Couple {
		card.NarrowLink = address + "/narrow"
	}
	if viewer.role >= 2 && !own && !ours && !card.Couple {
		card.ReportLink = address + "/report"
	}
	card.People = faces(row.firstName, row.firstAvatar, row.secondName, row.secondAvatar)
	return card
}

// The members of a couple that are there.
func faces(firstName sql.NullString, firstAvatar []byte, secondName sql.NullString, secondAvatar []byte) []face {
	people := make([]face, 0, 2)
	if firstName.Valid {
		people = append(people, newFace(firstName.String, firstAvatar))
	}
	if secondName.Valid {
		people = append(people, newFace(secondName.String, secondAvatar))
	}
	return people
}

// Their labels are keys of texts.
var (
	tabs = []tab{
		{Href: "/", Icon: "home", Label: "tab.feed", Current: true},
		{Href: "/checkin", Icon: "ghost", Label: "tab.checkin"},
		{Href: "/album", Icon: "image", Label: "tab.album"},
		{Href: "/workouts", Icon: "bike", Label: "tab.workouts"},
		{Href: "/groups", Icon: "compass", Label: "tab.groups"},
	}
	rail = []tab{
		{Href: "/search", Icon: "search", Label: "search.title"},
		{Href: "/notifications", Icon: "bell", Label: "notices.title"},
		{Href: "/messages", Icon: "comment", Label: "messages.title"},
		{Href: "/wallet", Icon: "coin", Label: "layout.wallet"},
		{Href: "/settings", Icon: "settings", Label: "layout.settings"},
	}
)

// The same entries with their texts.
func (t texts) labelled(entries []tab) []tab {
	labelled := append([]tab(nil), entries...)
	for place := range labelled {
		labelled[place].Label = t.words(labelled[place].Label)
	}
	return labelled
}

func (s *server) chrome(viewer *person, cookie []byte, unread int) *chrome {
	theme := viewer.theme.String
	if theme == "" {
		theme = "auto"
	}
	page := &chrome{
		Title: s.texts.words("feed.title"), Language: "en", Theme: theme, Assets: s.assets,
		Csrf: s.token(cookie), Path: "/", LanguageEn: true, ThemeAuto: theme == "auto",
		ThemeLight: theme == "light", ThemeDark: theme == "dark", Member: true,
		BrowserUser: base64.RawURLEncoding.EncodeToString(digest(s.userKey, viewer.id)[:16]),
		Me: &me{
			face: newFace(viewer.name, viewer.avatar), CoupleName: viewer.coupleName.String,
			CoupleLink: "/couples/" + hyphened(viewer.coupleID), ForgetLink: "/settings/delete",
			WalletLink: "/wallet"},
	}
	if viewer.partnerName.String != "" {
		partner := newFace(viewer.partnerName.String, viewer.partnerAvatar)
		page.Me.Partner = &partner
	}
	if viewer.role > 2 {
		page.Me.AdminLink = "/admin"
	}
	switch {
	case unread >= 100:
		page.Unread = "99+"
	case unread > 0:
		page.Unread = strconv.Itoa(unread)
	}
	page.Tabs, page.Rail = s.tabs, append([]tab(nil), s.rail...)
	for place := range page.Rail {
		if page.Rail[place].Icon == "bell" {
			page.Rail[place].Unread = page.Unread
		}
	}
	return page
}

func (s *server) together(viewer *person, when *clock) *together {
	if viewer.status.String != "active" {
		return nil
	}
	shown := &together{
		CoupleName: viewer.coupleName.String, CoupleLink: "/couples/" + hyphened(viewer.coupleID),
		People: viewer.faces(), Days: when.days(viewer.anniversary)}
	if viewer.anniversary.Valid {
		day := time.Unix(viewer.anniversary.Int64*86_400, 0).UTC()
		shown.Since = day.Format("2 January 2006")
		shown.NextAnniversary = s.nextAnniversary(day, when)
	}
	return shown
}

// The viewer and the partner, in the order of their couple.
func (p *person) faces() []face {
	name := sql.NullString{String: p.name, Valid: true}
	if p.side == 1 {
		return faces(name, p.avatar, p.partnerName, p.partnerAvatar)
	}
	return faces(p.partnerName, p.partnerAvatar, name, p.avatar)
}

func (s *server) nextAnniversary(first time.Time, when *clock) string {
	for year := when.today.Year(); year <= when.today.Year()+1; year++ {
		day := time.Date(year, first.Month(), first.Day(), 0, 0, 0, 0, time.UTC)
		if day.Year() > first.Year() && !day.Before(when.today) {
			years, left := day.Year()-first.Year(), int(day.Sub(when.today).Hours()/24)
			key := map[int]string{0: "couple.years_today", 1: "couple.years_tomorrow"}[left]
			if key == "" {
				key = "couple.years_in_days"
			}
			return strings.NewReplacer("{years}", strconv.Itoa(years), "{days}", strconv.Itoa(left)).Replace(
				s.texts.counted(key, years))
		}
	}
	return ""
}

func hyphened(id []byte) string {
	text := hex.EncodeToString(id)
	if len(text) != 32 {
		return text
	}
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

func newFace(name string, avatar []byte) face {
	shown := face{Name: name, Initials: initials(name)}
	if len(avatar) > 0 {
		shown.Avatar = "/media/" + string(avatar)
	}
	return shown
}

func initials(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || r == '-' })
	if len(words) == 0 {
		return "?"
	}
	first, _ := utf8.DecodeRuneInString(words[0])
	if first >= 0x2E80 || len(words) < 2 {
		return string(unicode.ToUpper(first))
	}
	last, _ := utf8.DecodeRuneInString(words[len(words)-1])
	return string(unicode.ToUpper(first)) + string(unicode.ToUpper(last))
}

var address = regexp.MustCompile("(?:^|[^A-Za-z])(https?://[^\\x00-\\x20<>\"'`{}|\\\\^\u3000-\u303f\uff00-\uff65]+)")

// Turns URLs into links, keeps line breaks, escapes the rest.
func markup(content string) template.HTML {
	if !strings.Contains(content, "http") && !strings.Contains(content, "\n") {
		return template.HTML("<p>" + html.EscapeString(content) + "</p>")
	}
	var parts strings.Builder
	place := 0
	for _, found := range address.FindAllStringSubmatchIndex(content, -1) {
		target := strings.TrimRight(content[found[2]:found[3]], ".,:;!?")
		escaped := html.EscapeString(target)
		parts.WriteString(html.EscapeString(content[place:found[2]]))
		parts.WriteString(`<a href="` + escaped + `" rel="nofollow ugc noopener">` + escaped + "</a>")
		place = found[2] + len(target)
	}
	parts.WriteString(html.EscapeString(content[place:]))
	text := strings.ReplaceAll(parts.String(), "\n\n", "</p><p>")
	return template.HTML("<p>" + strings.ReplaceAll(text, "\n", "<br>") + "</p>")
}

// Digits in groups of three.
func grouped(number int) string {
	text := strconv.Itoa(number)
	for place := len(text) - 3; place > 0; place -= 3 {
		text = text[:place] + "," + text[place:]
	}
	return text
}

// Texts of the catalogue: one, or one by number.
type texts map[string]any

func readTexts(path string) (texts, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var read texts
	return read, json.Unmarshal(file, &read)
}

func (t texts) words(key string) string {
	text, _ := t[key].(string)
	return text
}

func (t texts) counted(key string, count int) string {
	text := t.words(key)
	if forms, ok := t[key].(map[string]any); ok {
		form := "other"
		if count == 1 {
			form = "one"
		}
		text, _ = forms[form].(string)
	}
	return strings.ReplaceAll(text, "{count}", strconv.Itoa(count))
}

// The moment of a page, in the viewer's zone.
type clock struct {
	zone  *time.Location
	now   time.Time
	today time.Time
}

var zones sync.Map

func newClock(zone string) (*clock, error) {
	if zone == "" {
		zone = "Asia/Taipei"
	}
	known, ok := zones.Load(zone)
	if !ok {
		loaded, err := time.LoadLocation(zone)
		if err != nil {
			return nil, err
		}
		known, _ = zones.LoadOrStore(zone, loaded)
	}
	c := &clock{zone: known.(*time.Location), now: time.Now()}
	c.today = dayOf(c.now.In(c.zone))
	return c, nil
}

func dayOf(moment time.Time) time.Time {
	return time.Date(moment.Year(), moment.Month(), moment.Day(), 0, 0, 0, 0, time.UTC)
}

func (c *clock) days(anniversary sql.NullInt64) *days {
	if !anniversary.Valid {
		return nil
	}
	count := int(c.today.Unix()/86_400-anniversary.Int64) + 1
	if count < 1 {
		count = 1
	}
	return &days{Count: count}
}

func (s *server) age(created int64, when *clock) string {
	seconds := int((when.now.UnixMilli() - created) / 1000)
	switch {
	case seconds < 60:
		return s.texts.words("age.now")
	case seconds < 3600:
		return s.texts.counted("age.minutes", seconds/60)
	case seconds < 6*3600:
		return s.texts.counted("age.hours", seconds/3600)
	}
	// The day is looked up only where it matters.
	day := dayOf(time.UnixMilli(created).In(when.zone))
	passed := int(when.today.Sub(day).Hours() / 24)
	switch {
	case seconds < 86_400 && passed == 0:
		return s.texts.counted("age.hours", seconds/3600)
	case passed <= 1:
		return s.texts.words("age.yesterday")
	case passed < 7:
		return s.texts.counted("age.days", passed)
	}
	return day.Format("2 January 2006")
}
