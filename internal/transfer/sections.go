package transfer

import "dealflow/internal/company/plain"

// section describes how the lines of one type are read: the kind of things they belong to ("" for none), and a query of
// their data by the account's id. The query reads rows in the order of an index, so that the first line is written at
// once.
type section struct{ line, kind, query string }

// hasPath reports whether a line has a file: whether the query has a column path, which is null for a link.
func (s section) hasPath() bool {
	return s.line == TypeFile || s.line == TypeEmailFile || s.line == TypeEmailMessage
}

// person returns the SQL for the address of the user whose id is in a column; null if they have left the team.
// Addresses, unlike ids, are the same in every installation.
func person(column string) string {
	return "(SELECT u.email FROM users u WHERE u.id = " + column + ")"
}

// timeOf returns the SQL for a time in the format of timestamp.Format.
func timeOf(column string) string {
	return `to_char(` + column + ` AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}

// at returns the SQL for a time, as timeOf does, with the name of the column. Only one table of the query may have a
// column of this name.
func at(column string) string { return timeOf(column) + " AS " + column }

// people returns the SQL for an array of the users to whom a company is assigned, or with whom it is shared. The query
// must name the company c.
func people(table string) string {
	return `(SELECT COALESCE(json_agg(json_build_object('user_id', p.user_id, 'email', ` + person("p.user_id") + `,
		'created_at', ` + timeOf("p.created_at") + `) ORDER BY p.created_at, p.user_id), '[]') FROM ` + table + ` p
		WHERE p.company_id = c.id)`
}

// archiveName returns the SQL for a file's name in an archive: without characters that some systems refuse and without
// dots at its beginning, and at most 120 characters, the last ones. It is "file" for a name that is null or empty.
func archiveName(column string) string {
	return `right(COALESCE(NULLIF(regexp_replace(regexp_replace(` + column +
		`, '[/\\:*?"<>|[:cntrl:]]', '_', 'g'), '^[.]+', '_'), ''), 'file'), 120)`
}

// The folders and names of files in an archive.
const (
	filePath      = `'files/' || f.id || '/' || `
	emailFilePath = `'emails/' || a.email_id || '/' || a.id || '/' || `
	messagePath   = `'emails/' || e.id || '/message.eml'`
)

// contentHash returns the SQL for the SHA-256 of a file of an email, which is the last part of its storage key.
func contentHash(column string) string { return `substring(` + column + ` from '[^/]*$')` }

func sections() []section {
	made := at("created_at") + ", " + at("updated_at")
	return []section{
		{TypeAccount, "", `SELECT id, name, ` + made + ` FROM accounts WHERE id = $1`},
		{TypeMember, "", `SELECT m.user_id, u.email, u.name, m.role, ` + timeOf("m.created_at") + ` AS created_at
			FROM memberships m LEFT JOIN users u ON u.id = m.user_id WHERE m.account_id = $1 ORDER BY m.user_id`},
		{TypeStatus, "", `SELECT id, name, color, description, rank, is_default, ` + made + `
			FROM company_statuses WHERE account_id = $1 ORDER BY rank, id`},
		{TypeField, "", `SELECT id, name, field_type, options, required, position, ` + made + `
			FROM field_settings WHERE account_id = $1 ORDER BY position, id`},
		{TypeView, "", `SELECT v.id, v.name, v.shared, v.search, v.company_status_id,
				(SELECT s.name FROM company_statuses s WHERE s.id = v.company_status_id) AS company_status, v.no_status, v.source,
				v.sort_by, v.ascending, v.columns, v.created_by, ` + person("v.created_by") + ` AS created_by_email,
				` + made + `
			FROM saved_views v WHERE v.account_id = $1 ORDER BY v.created_at, v.id`},
		{TypeCompany, KindCompanies, `SELECT c.id, c.name, ` + plain.SQL("c.") + `, c.visibility, c.source,
				c.source_content, c.company_status_id,
				(SELECT s.name FROM company_statuses s WHERE s.id = c.company_status_id) AS company_status, c.metadata,
				c.external_id,
				c.edited, c.created_by, ` + person("c.created_by") + ` AS created_by_email, c.updated_by,
				` + person("c.updated_by") + ` AS updated_by_email, ` + made + `,
				` + people("company_assignees") + ` AS assignees, ` + people("company_shares") + ` AS shares,
				(SELECT row_to_json(d) FROM (SELECT found, cues, written, analysis, review, ` + at("created_at") + `
					FROM detections WHERE company_id = c.id) d) AS analysis,
				(SELECT COALESCE(json_agg(row_to_json(k) ORDER BY k.field), '[]') FROM (SELECT field, detected, corrected, cues,
					excerpt, created_by, ` + person("o.created_by") + ` AS created_by_email, ` + made + `
					FROM corrections o WHERE o.company_id = c.id) k) AS corrections
			FROM companies c WHERE c.account_id = $1 ORDER BY c.id`},
		{TypeFile, KindCompanies, `SELECT f.id, f.company_id, f.role, f.attachment_type, f.position, f.title, f.description,
				f.link_url,
				f.size_bytes, f.media_type, f.original_filename, f.sha256, f.created_by, ` + person("f.created_by") +
			` AS created_by_email,
				` + made + `,
				CASE WHEN f.storage_path IS NOT NULL THEN ` + filePath + archiveName("f.original_filename") + ` END AS path,
				(SELECT row_to_json(t) FROM (SELECT reader, title, pages, error, ` + at("created_at") + `
					FROM file_texts WHERE file_id = f.id) t) AS text
			FROM company_files f WHERE f.account_id = $1 ORDER BY f.id`},
		{TypeMinutes, KindMinutes, `SELECT id, title, content, company_id, ` + at("meeting_date") + `, attendees,
				processed, metadata, created_by, ` + person("m.created_by") + ` AS created_by_email, ` + made + `
			FROM meeting_minutes m WHERE account_id = $1 ORDER BY id`},
		{TypeSubmission, KindSubmissions, `SELECT id, data, company_id, integration_type, external_id, metadata, processed,
			` + made + `
			FROM form_submissions WHERE account_id = $1 ORDER BY id`},
		{TypeEmail, KindEmails, `SELECT e.id, e.external_id, e.from_email, e.from_name, e.to_emails, e.subject, e.content,
			e.content_preview,
				e.tags, e.attachments_count, e.processed, e.metadata, ` + made + `,
				(SELECT COALESCE(json_agg(json_build_object('company_id', l.company_id,
					'created_at', ` + timeOf("l.created_at") + `) ORDER BY l.created_at, l.company_id), '[]')
					FROM email_companies l WHERE l.email_id = e.id) AS companies
			FROM emails e WHERE e.account_id = $1 ORDER BY e.id`},
		{TypeEmailFile, KindEmails, `SELECT a.id, a.email_id, a.position, a.filename, a.content_type, a.size_bytes,
				` + at("created_at") + `,
				` + contentHash("a.storage_path") + ` AS sha256, ` + emailFilePath + archiveName("a.filename") + ` AS path
			FROM email_attachments a WHERE a.account_id = $1 ORDER BY a.id`},
		{TypeEmailMessage, KindEmails, `SELECT e.id AS email_id, ` + contentHash("e.raw_storage_path") + ` AS sha256, ` +
			messagePath + ` AS path
			FROM emails e WHERE e.account_id = $1 AND e.raw_storage_path IS NOT NULL ORDER BY e.id`},
		{TypeActivity, "", `SELECT v.id, v.user_id, ` + person("v.user_id") +
			` AS user_email, v.type, v.description, v.company_id, ` + at("created_at") + `
			FROM activity v WHERE v.account_id = $1 ORDER BY v.id`},
		{TypeMerge, "", merges()},
	}
}

// merges returns the query for everything that the undo of a merge needs: the merged company, and what the merge
// changed and moved, with the addresses of the users and the names of the statuses whose ids occur in these. Shared
// links are left out: they belong to one installation.
func merges() string {
	return `SELECT m.id, m.company_id, m.merged_id, m.merged - 'deck_storage_path' AS merged, m.changed, m.keys,
		m.merged_by, ` + at("merged_at") + `, m.undone_by, ` + at("undone_at") + `, m.kept, t.rows,
		(SELECT COALESCE(json_object_agg(u.id, u.email ORDER BY u.id), '{}') FROM users u WHERE u.id IN (
			SELECT unnest(ARRAY[m.merged_by, m.undone_by, (m.merged ->> 'created_by')::uuid,
				(m.merged ->> 'updated_by')::uuid])
			UNION SELECT unnest(ARRAY[(r #>> '{was,user_id}')::uuid, (r #>> '{was,created_by}')::uuid])
			FROM jsonb_array_elements(t.rows) AS r)) AS people,
		(SELECT COALESCE(json_object_agg(s.id, s.name ORDER BY s.id), '{}') FROM company_statuses s
			WHERE s.account_id = m.account_id AND s.id::text IN (m.merged ->> 'company_status_id',
				m.changed #>> '{company_status_id,from}', m.changed #>> '{company_status_id,to}')) AS statuses
	FROM company_merges m CROSS JOIN LATERAL (SELECT app_merge_rows(m.id) AS rows OFFSET 0) AS t
	WHERE m.account_id = $1 ORDER BY m.id`
}

// stored is a query for a page of the files that belong to a kind of things. It returns the id, the storage key, the
// name in an archive and the time of creation of each file. $1 is the account's id, $2 the id after which the page
// begins, and $3 the size of the page.
type stored struct{ kind, query string }

func storedFiles() []stored {
	return []stored{
		{KindCompanies, `SELECT f.id, f.storage_path, ` + filePath + archiveName("f.original_filename") + `, f.created_at
			FROM company_files f WHERE f.account_id = $1 AND f.id > $2 AND f.storage_path IS NOT NULL ORDER BY f.id LIMIT $3`},
		{KindEmails, `SELECT a.id, a.storage_path, ` + emailFilePath + archiveName("a.filename") + `, a.created_at
			FROM email_attachments a WHERE a.account_id = $1 AND a.id > $2 ORDER BY a.id LIMIT $3`},
		{KindEmails, `SELECT e.id, e.raw_storage_path, ` + messagePath + `, e.created_at FROM emails e
			WHERE e.account_id = $1 AND e.id > $2 AND e.raw_storage_path IS NOT NULL ORDER BY e.id LIMIT $3`},
	}
}
