package main

import (
	"database/sql"
	"sort"
)

// The moments and the groups on top of the feed.

const there = `m.ends_at > ?3 AND m.deleted_at IS NULL AND m.removed_at IS NULL
    AND (m.hidden_at IS NULL OR m.author_id = ?1)
    AND EXISTS (SELECT 1 FROM people_seen s WHERE s.id = m.author_id)`

const counts = `max(m.created_at) AS latest, count(*) FILTER (WHERE m.author_id <> ?1 AND NOT EXISTS (
      SELECT 1 FROM moment_views v WHERE v.moment_id = m.id AND v.user_id = ?1)) AS unseen`

// Each part is in the order of an index; the few couples are sorted afterwards.
const momentsQuery = `
  SELECT m.couple_id, NULL, NULL, NULL, NULL, NULL, ` + counts + `
  FROM moments m WHERE m.couple_id = ?2 AND ` + there + ` GROUP BY m.couple_id
  UNION ALL
  SELECT c.id, c.name, c.first_name, c.first_avatar, c.second_name, c.second_avatar, x.latest, x.unseen
  FROM (
    SELECT f.followed_id, ` + counts + ` FROM follows_open f CROSS JOIN moments m
    WHERE f.follower_id = ?2 AND m.couple_id = f.followed_id AND m.audience = 'followers'
      AND ` + there + ` GROUP BY f.followed_id
  ) AS x JOIN couples_seen c ON c.id = x.followed_id`

const groupsQuery = `
  SELECT g.id, g.name FROM group_members m JOIN groups g ON g.id = m.group_id
  WHERE m.user_id = ? AND g.closed_at IS NULL ORDER BY m.joined_at DESC, m.group_id DESC LIMIT 3`

const mostCircles = 30

type moments struct {
	NewLink string
	Circles []circle
}

type circle struct {
	Name, Link string
	People     []face
	New, Own   bool
	latest     int64
}

type home struct {
	Received []struct{ Words, Link string }
	// Until when a timer runs; that contacts were alerted.
	Timer, Alert, NextAnniversary, CoupleLink string
	CheckInDue, CheckedIn, Alone              *link
	Groups                                    []group
	Memory                                    *struct{ Link, Age, Content string }
}

type group struct{ Name, Link string }

// The couples with moments: the viewer's own first, then those with unseen ones, each by the latest.
func (s *server) circles(me *person, when *clock) ([]circle, error) {
	rows, err := s.moments.Query(me.id, me.coupleID, when.now.UnixMilli())
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var circles []circle
	for rows.Next() {
		var id, firstAvatar, secondAvatar sql.RawBytes
		var name, firstName, secondName sql.NullString
		var one circle
		var unseen int
		if err = rows.Scan(
			&id, &name, &firstName, &firstAvatar, &secondName, &secondAvatar, &one.latest, &unseen); err != nil {
			return nil, err
		}
		one.Name, one.Link, one.New = name.String, "/moments/"+hyphened(id), unseen > 0
		if one.Own = string(id) == string(me.coupleID); one.Own {
			one.Name, one.People = me.coupleName.String, me.faces()
		} else {
			one.People = faces(firstName, firstAvatar, secondName, secondAvatar)
		}
		circles = append(circles, one)
	}
	sort.Slice(circles, func(i, j int) bool {
		a, b := &circles[i], &circles[j]
		if a.Own != b.Own {
			return a.Own
		}
		if a.New != b.New {
			return a.New
		}
		return a.latest > b.latest
	})
	if len(circles) > mostCircles {
		circles = circles[:mostCircles]
	}
	return circles, rows.Err()
}

// The newest groups of the viewer.
func (s *server) openGroups(me *person) ([]group, error) {
	rows, err := s.groups.Query(me.id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var groups []group
	for rows.Next() {
		var id sql.RawBytes
		var one group
		if err = rows.Scan(&id, &one.Name); err != nil {
			return nil, err
		}
		one.Link = "/groups/" + hyphened(id)
		groups = append(groups, one)
	}
	return groups, rows.Err()
}
