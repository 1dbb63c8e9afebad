// The peer of `make bench` in Go: the signed-in feed page with net/http, database/sql and
// html/template, from the database that PairSpot created and still serves. One process whose
// goroutines use all processors; statements and templates are prepared once; rendered into a buffer
// that is used again. The statements are those of the peer with SQLAlchemy Core (fastapi/feed.py).
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html/template"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-sqlite3"
)

const pragmas = `
  PRAGMA cache_size = -16000; PRAGMA mmap_size = 268435456; PRAGMA temp_store = MEMORY;
  PRAGMA trusted_schema = OFF; PRAGMA busy_timeout = 5000`

const viewerQuery = `
  SELECT u.id, u.role, u.display_name, u.avatar, u.theme, u.time_zone, u.couple_id,
    c.name, c.status, c.anniversary, u.couple_side, p.display_name, p.avatar
  FROM sessions s JOIN users u ON u.id = s.user_id
  LEFT JOIN couples c ON c.id = u.couple_id
  LEFT JOIN users p ON p.couple_id = u.couple_id AND p.couple_side = 3 - u.couple_side
    AND p.deleted_at IS NULL
  WHERE s.token_hash = ?1 AND s.expires_at > ?2 AND u.deleted_at IS NULL`

const unreadQuery = `SELECT count(*) FROM (
  SELECT 1 FROM notifications WHERE user_id = ? AND read_at IS NULL LIMIT 100)`

const feedQuery = `
  SELECT p.id, p.couple_id, c.name, c.anniversary, c.first_name, c.first_avatar,
    c.second_name, c.second_avatar, p.author_id, w.name, p.content, p.visibility,
    p.like_count, p.comment_count, EXISTS (SELECT 1 FROM likes l WHERE l.post_id = p.id AND l.user_id = ?1),
    CASE WHEN EXISTS (SELECT 1 FROM saved_posts o WHERE o.user_id = ?1) THEN EXISTS (
      SELECT 1 FROM saved_posts s WHERE s.post_id = p.id AND s.user_id = ?1) ELSE FALSE END,
    p.created_at, p.edited_at, p.image_count
  FROM (
    SELECT * FROM (
      SELECT p.id FROM posts p
      WHERE p.visibility = 'public' AND p.deleted_at IS NULL AND p.hidden_at IS NULL
        AND EXISTS (SELECT 1 FROM couples_open k WHERE k.id = p.couple_id)
        AND EXISTS (SELECT 1 FROM people_seen w WHERE w.id = p.author_id)
        AND NOT EXISTS (
          SELECT 1 FROM couples_apart a WHERE a.one_id = p.couple_id AND a.other_id = ?2)
      ORDER BY p.created_at DESC, p.id DESC LIMIT 21) AS x
    UNION
    SELECT * FROM (
      SELECT p.id FROM posts p
      WHERE p.couple_id = ?2 AND p.deleted_at IS NULL
        AND EXISTS (SELECT 1 FROM people_seen w WHERE w.id = p.author_id)
      ORDER BY p.created_at DESC, p.id DESC LIMIT 21) AS y
    UNION
    SELECT * FROM (
      SELECT p.id FROM follows_open f JOIN posts p ON p.couple_id = f.followed_id
      WHERE f.follower_id = ?2 AND p.visibility = 'followers' AND p.deleted_at IS NULL
        AND p.hidden_at IS NULL AND EXISTS (SELECT 1 FROM people_seen w WHERE w.id = p.author_id)
      ORDER BY p.created_at DESC, p.id DESC LIMIT 21) AS z
  ) AS found JOIN posts p ON p.id = found.id
  JOIN couples_seen c ON c.id = p.couple_id JOIN people_seen w ON w.id = p.author_id
  ORDER BY p.created_at DESC, p.id DESC LIMIT 21`

// For this number of posts.
func picturesQuery(count int) string {
	return `SELECT post_id, id, extension, has_webp, description, width, height FROM post_images
  WHERE post_id IN (?` + strings.Repeat(", ?", count-1) + `) ORDER BY post_id, position`
}

const pageSize = 20

type server struct {
	viewer, feed, unread, moments, groups *sql.Stmt
	// By the number of posts.
	pictures         [pageSize + 1]*sql.Stmt
	page             *template.Template
	texts            texts
	tabs, rail       []tab
	assets           string
	csrfKey, userKey []byte
	buffers          sync.Pool
}

func main() {
	address := os.Args[1]
	sql.Register("peer", &sqlite3.SQLiteDriver{ConnectHook: func(c *sqlite3.SQLiteConn) error {
		_, err := c.Exec(pragmas, nil)
		return err
	}})
	database, err := sql.Open("peer", "file:"+os.Getenv("DATABASE")+"?mode=ro&_mutex=no")
	must(err)
	database.SetMaxOpenConns(8)
	database.SetMaxIdleConns(8)
	prepare := func(query string) *sql.Stmt {
		statement, err := database.Prepare(query)
		must(err)
		return statement
	}
	var keys map[string]string
	must(json.Unmarshal([]byte(os.Getenv("KEYS")), &keys))
	s := &server{
		viewer: prepare(viewerQuery), feed: prepare(feedQuery), unread: prepare(unreadQuery),
		moments: prepare(momentsQuery), groups: prepare(groupsQuery), assets: os.Getenv("ASSETS"),
		csrfKey: unhex(keys["csrf"]), userKey: unhex(keys["browser-user"]),
		buffers: sync.Pool{New: func() any { return new(bytes.Buffer) }},
	}
	for count := 1; count <= pageSize; count++ {
		s.pictures[count] = prepare(picturesQuery(count))
	}
	s.texts, err = readTexts(os.Getenv("SHARE") + "/templates/locales/en.json")
	must(err)
	s.tabs, s.rail = s.texts.labelled(tabs), s.texts.labelled(rail)
	s.page = template.Must(template.New("feed.tmpl").Funcs(template.FuncMap{
		"grouped": grouped}).ParseFiles(os.Getenv("TEMPLATE")))
	listener, err := net.Listen("unix", address)
	must(err)
	must(os.Chmod(address, 0o777))
	http.HandleFunc("/go", s.show)
	must(http.Serve(listener, nil))
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func unhex(text string) []byte {
	value, err := hex.DecodeString(text)
	must(err)
	return value
}

// The nginx in front writes a line a request.
func (s *server) show(w http.ResponseWriter, r *http.Request) {
	sent, err := r.Cookie("__Host-session")
	if err != nil || len(sent.Value) != 43 {
		http.Error(w, "", http.StatusUnauthorized)
		return
	}
	cookie, err := base64.RawURLEncoding.DecodeString(sent.Value)
	if err == nil {
		var page *feedPage
		if page, err = s.read(cookie); err == nil {
			buffer := s.buffers.Get().(*bytes.Buffer)
			defer s.buffers.Put(buffer)
			buffer.Reset()
			if err = s.page.Execute(buffer, page); err == nil {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				w.Header().Set("Content-Length", strconv.Itoa(buffer.Len()))
				_, _ = w.Write(buffer.Bytes())
				return
			}
		}
	}
	log.Print(err)
	http.Error(w, "", http.StatusInternalServerError)
}

// The viewer's row.
type person struct {
	id, coupleID, avatar, partnerAvatar          []byte
	role, side                                   int
	name                                         string
	theme, zone, coupleName, status, partnerName sql.NullString
	anniversary                                  sql.NullInt64
	mayPost                                      bool
}

func (s *server) read(cookie []byte) (*feedPage, error) {
	hash := sha256.Sum256(cookie)
	var me person
	var side sql.NullInt64
	err := s.viewer.QueryRow(hash[:], time.Now().UnixMilli()).Scan(
		&me.id, &me.role, &me.name, &me.avatar, &me.theme, &me.zone, &me.coupleID, &me.coupleName,
		&me.status, &me.anniversary, &side, &me.partnerName, &me.partnerAvatar)
	if err != nil {
		return nil, err
	}
	me.side = int(side.Int64)
	me.mayPost = me.role >= 2 && (me.status.String == "active" || me.status.String == "single")
	when, err := newClock(me.zone.String)
	if err != nil {
		return nil, err
	}
	posts, last, older, err := s.posts(&me, when)
	if err != nil {
		return nil, err
	}
	var unread int
	if err = s.unread.QueryRow(me.id).Scan(&unread); err != nil {
		return nil, err
	}
	circles, err := s.circles(&me, when)
	if err != nil {
		return nil, err
	}
	groups, err := s.openGroups(&me)
	if err != nil {
		return nil, err
	}
	page := &feedPage{
		Page: s.chrome(&me, cookie, unread), Posts: posts, EveryoneLink: "/",
		FollowingLink: "/?scope=following", Empty: len(posts) == 0, MayPost: me.mayPost,
		First:    &newestLink{Newest: "/api/v1/posts?limit=1&scope=everyone"},
		Composer: &composer{Nonce: base64.RawURLEncoding.EncodeToString(random(16)), Public: true, Remaining: 9},
		Moments:  &moments{NewLink: "/moments/new", Circles: circles},
		Home:     &home{Groups: groups},
		Together: s.together(&me, when),
	}
	if older {
		page.Older = fmt.Sprintf("/?after=%d-%s", last.created, last.card.Id)
	}
	return page, nil
}

func random(count int) []byte {
	value := make([]byte, count)
	_, err := rand.Read(value)
	must(err)
	return value
}

func digest(key, message []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(message)
	return mac.Sum(nil)
}

func (s *server) token(cookie []byte) string {
	secret, token := digest(s.csrfKey, cookie), random(64)
	for i := range secret {
		token[32+i] = token[i] ^ secret[i]
	}
	return base64.RawURLEncoding.EncodeToString(token)
}

type readPost struct {
	card    post
	created int64
}

func (s *server) posts(me *person, when *clock) (cards []post, last readPost, older bool, err error) {
	rows, err := s.feed.Query(me.id, me.coupleID)
	if err != nil {
		return nil, last, false, err
	}
	defer rows.Close()
	cards = make([]post, 0, pageSize)
	// The places of the posts with pictures.
	pictured := make(map[string]int, pageSize)
	ids := make([]any, 0, pageSize)
	for rows.Next() {
		if len(cards) == pageSize {
			older = true
			break
		}
		var row postRow
		if err = rows.Scan(
			&row.id, &row.coupleID, &row.coupleName, &row.anniversary, &row.firstName, &row.firstAvatar,
			&row.secondName, &row.secondAvatar, &row.authorID, &row.authorName, &row.content,
			&row.visibility, &row.likes, &row.comments, &row.liked, &row.saved,
			&row.created, &row.edited, &row.images); err != nil {
			return nil, last, false, err
		}
		if row.images > 0 {
			pictured[string(row.id)] = len(cards)
			ids = append(ids, row.id)
		}
		cards = append(cards, s.card(&row, me, when))
		last = readPost{card: cards[len(cards)-1], created: row.created}
	}
	if err = rows.Err(); err != nil {
		return nil, last, false, err
	}
	rows.Close()
	return cards, last, older, s.addPictures(cards, pictured, ids)
}

func (s *server) addPictures(cards []post, pictured map[string]int, ids []any) error {
	if len(ids) == 0 {
		return nil
	}
	rows, err := s.pictures[len(ids)].Query(ids...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var whose, name sql.RawBytes
		var extension string
		var webP bool
		var one picture
		if err = rows.Scan(&whose, &name, &extension, &webP, &one.Alt, &one.Width, &one.Height); err != nil {
			return err
		}
		card := &cards[pictured[string(whose)]]
		one.Position = len(card.Images) + 1
		one.LinkFull = card.Link + "/pictures/" + strconv.Itoa(one.Position)
		base := "/media" + card.CoupleLink + card.Link + "/medium_" + hyphened(name)
		one.SrcMedium = base + "." + extension
		if webP {
			one.SrcMediumWebp = base + ".webp"
		}
		card.Images = append(card.Images, one)
		card.Grid = strconv.Itoa(one.Position)
	}
	return rows.Err()
}
