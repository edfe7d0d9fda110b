package transfer

import (
	"strings"

	"dealflow/internal/company/plain"
)

// restore has the SQL that writes lines of one type back to the account. Its statements have as $1 the account's id and
// as $2 the data of the lines as a JSON array. The statement insert returns the ids of new rows; each of parts has
// these as $3.
type restore struct {
	parent, parents string // a member such as "company_id" that must refer to a row of the account, and its table
	insert          string
	stored          bool // $3 of insert is the key of the content in storage
	parts           []string
}

// team selects the ids and the addresses of the members of the account, by which the function member finds one.
const team = `WITH team AS MATERIALIZED (SELECT m.user_id AS id, lower(u.email) AS email
	FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.account_id = $1::uuid) `

// member returns the SQL for the id of the member of the account with this id or, if there is none, with this address;
// null if there is neither. The statement must begin with team.
func member(id, email string) string {
	return `COALESCE((SELECT t.id FROM team t WHERE t.id = ` + id + `), (SELECT t.id FROM team t WHERE t.email = lower(` +
		email + `) LIMIT 1))`
}

// author returns the SQL of member, or the id of the user who restores if the account has no such member. The statement
// must begin with team.
func author(id, email string) string { return `COALESCE(` + member(id, email) + `, app_user_id())` }

// its returns the SQL for the id that a row of the database table has, or is to get, in this account: its id in the
// export, for which column is the SQL, or another id if a row of another account has that one.
func its(table, column string) string {
	return `app_restored_id($1::uuid, '` + table + `', ` + column + `)`
}

func companyColumns() string {
	return `AS r (id uuid, name text, ` + strings.Join(plain.Names(), " text, ") + ` text, visibility text,
		source text, source_content text, company_status_id uuid, company_status text, metadata jsonb, external_id text,
		edited text, created_by uuid, created_by_email text, updated_by uuid, updated_by_email text,
		created_at timestamptz, updated_at timestamptz, assignees json, shares json, analysis json, corrections json)`
}

const fileColumns = `AS r (id uuid, company_id uuid, role text, attachment_type text, position integer, title text,
	description text,
	link_url text, size_bytes bigint, media_type text, original_filename text, sha256 text, created_by uuid,
	created_by_email text,
	created_at timestamptz, updated_at timestamptz, text json)`

// rows returns the SQL that reads the lines as a table with these columns.
func rows(columns string) string { return ` FROM json_to_recordset($2::json) ` + columns }

// ofNew returns the SQL condition that selects the lines whose rows are new, in a statement of restore.parts. Postgres
// checks the cheaper conditions of the statement before it.
func ofNew(table string) string { return ` WHERE ` + its(table, "r.id") + ` = ANY ($3::uuid[])` }

// restorePeople returns the statement that restores the users to whom companies are assigned, or with whom they are
// shared. It leaves out users who are not members of the account.
func restorePeople(table, list string) string {
	return team + `INSERT INTO ` + table + ` (company_id, account_id, user_id, created_at)
		SELECT x.company_id, $1::uuid, x.user_id, min(x.created_at) FROM (
			SELECT ` + its("companies", "r.id") + ` AS company_id, ` + member("p.user_id", "p.email") +
		` AS user_id, p.created_at` +
		rows(companyColumns()) + `, json_to_recordset(r.` + list +
		`) AS p (user_id uuid, email text, created_at timestamptz)` + ofNew("companies") +
		` AND json_array_length(r.` + list + `) > 0) x
		WHERE x.user_id IS NOT NULL GROUP BY x.company_id, x.user_id ON CONFLICT DO NOTHING`
}

func restores() map[string]restore {
	return map[string]restore{
		TypeStatus: {insert: `INSERT INTO company_statuses (id, account_id, name, color, description, rank, is_default,
			created_at, updated_at)
			SELECT ` + its("company_statuses", "r.id") + `, $1::uuid, r.name, r.color, r.description, r.rank,
				r.is_default AND NOT EXISTS (SELECT 1 FROM company_statuses d WHERE d.account_id = $1::uuid AND d.is_default),
				r.created_at, r.updated_at` +
			rows(`AS r (id uuid, name text, color text, description text, rank integer, is_default boolean,
				created_at timestamptz, updated_at timestamptz)`) + `
			WHERE NOT EXISTS (SELECT 1 FROM company_statuses s WHERE s.account_id = $1::uuid AND lower(s.name) = lower(r.name))
			ON CONFLICT DO NOTHING RETURNING id`},
		TypeField: {insert: `INSERT INTO field_settings (id, account_id, name, field_type, options, required, position,
			created_at, updated_at)
			SELECT ` + its("field_settings", "r.id") +
			`, $1::uuid, r.name, r.field_type, COALESCE(r.options, 'null'), r.required, r.position, r.created_at,
					r.updated_at` +
			rows(`AS r (id uuid, name text, field_type text, options jsonb, required boolean, position integer,
				created_at timestamptz, updated_at timestamptz)`) + `
			ON CONFLICT DO NOTHING RETURNING id`},
		TypeView:    {insert: "SELECT app_restore_views($1::uuid, $2::json)"},
		TypeCompany: restoreCompanies(),
		TypeFile:    restoreFiles(),
		TypeMinutes: {parent: "company_id", parents: "companies", insert: team +
			`INSERT INTO meeting_minutes (id, account_id, title, content, company_id,
				meeting_date, attendees, processed, metadata, created_by, created_at, updated_at)
			SELECT ` + its("meeting_minutes", "r.id") + `, $1::uuid, r.title, r.content, ` + its("companies", "r.company_id") +
			`, r.meeting_date,
				COALESCE(r.attendees, '{}'), r.processed, COALESCE(r.metadata, '{}'), ` +
			author("r.created_by", "r.created_by_email") + `, r.created_at, r.updated_at` +
			rows(`AS r (id uuid, title text, content text, company_id uuid, meeting_date timestamptz, attendees text[],
				processed boolean, metadata jsonb,
				created_by uuid, created_by_email text, created_at timestamptz, updated_at timestamptz)`) +
			` ON CONFLICT DO NOTHING RETURNING id`},
		TypeSubmission: {
			parent: "company_id", parents: "companies",
			insert: `INSERT INTO form_submissions (id, account_id, data, company_id,
				integration_type, external_id, metadata, processed, created_at, updated_at)
			SELECT ` + its("form_submissions", "r.id") + `, $1::uuid, r.data, ` + its("companies", "r.company_id") +
				`, r.integration_type, r.external_id,
				COALESCE(r.metadata, '{}'), r.processed, r.created_at, r.updated_at` +
				rows(`AS r (id uuid, data json, company_id uuid, integration_type text, external_id text, metadata jsonb,
				processed boolean,
				created_at timestamptz, updated_at timestamptz)`) + ` ON CONFLICT DO NOTHING RETURNING id`,
		},
		TypeEmail: restoreEmails(),
		TypeEmailFile: {
			parent: "email_id", parents: "emails", stored: true,
			insert: `INSERT INTO email_attachments (id, account_id, email_id, position,
				filename, content_type, size_bytes, storage_path, created_at)
			SELECT ` + its("email_attachments", "r.id") + `, $1::uuid, ` + its("emails", "r.email_id") +
				`, r.position, r.filename, r.content_type,
				r.size_bytes, $3::text, r.created_at` +
				rows(`AS r (id uuid, email_id uuid, position integer, filename text, content_type text, size_bytes bigint,
				created_at timestamptz)`) + `
			WHERE $3::text IS NOT NULL ON CONFLICT DO NOTHING RETURNING id`,
		},
		TypeEmailMessage: {
			parent: "email_id", parents: "emails", stored: true,
			insert: `UPDATE emails e SET raw_storage_path = $3::text` +
				rows(`AS r (email_id uuid)`) + ` WHERE e.account_id = $1::uuid AND e.id = ` + its("emails", "r.email_id") + `
				AND e.raw_storage_path IS NULL AND $3::text IS NOT NULL RETURNING e.id`,
		},
		TypeActivity: {insert: "SELECT app_restore_activity($1::uuid, $2::json)"},
		TypeMerge: {
			parent: "company_id", parents: "companies", insert: "SELECT app_restore_merges($1::uuid, $2::json)",
		},
	}
}

// restoreCompanies returns the SQL for companies. It does not create a company that was merged into another one in this
// account. A company that not all members see is first created by the user who restores, so that they see it while its
// parts are written. Its real creator is set last, if the user still sees the company then.
func restoreCompanies() restore {
	maker := author("r.created_by", "r.created_by_email")
	return restore{
		insert: team + `, stages AS MATERIALIZED (SELECT s.id, lower(s.name) AS name, s.rank FROM company_statuses s
			WHERE s.account_id = $1::uuid)
			INSERT INTO companies (id, account_id, name, ` + plain.SQL("") + `, visibility, source, source_content,
				company_status_id, metadata, external_id, edited, created_by, updated_by, created_at, updated_at)
			SELECT ` + its("companies", "r.id") +
			`, $1::uuid, r.name, ` + plain.SQL("r.") + `, r.visibility, r.source, r.source_content,
				COALESCE((SELECT s.id FROM stages s WHERE s.id = (SELECT ` + its("company_statuses", "r.company_status_id") + `)),
					(SELECT s.id FROM stages s WHERE s.name = lower(r.company_status) ORDER BY s.rank, s.id LIMIT 1)),
				COALESCE(r.metadata, '{}'), r.external_id, r.edited, CASE r.visibility WHEN 'team' THEN ` + maker +
			` ELSE app_user_id() END,
				` + author("r.updated_by", "r.updated_by_email") + `, r.created_at, r.updated_at` +
			rows(companyColumns()) + ` WHERE NOT EXISTS (SELECT 1 FROM company_merges m WHERE m.account_id = $1::uuid
				AND m.merged_id = ` + its("companies", "r.id") + ` AND m.undone_at IS NULL)
			ORDER BY r.external_id ON CONFLICT DO NOTHING RETURNING id`,
		parts: []string{
			restorePeople("company_assignees", "assignees"),
			restorePeople("company_shares", "shares"),
			`INSERT INTO detections (company_id, account_id, found, cues, written, analysis, review, created_at)
				SELECT ` + its("companies", "r.id") +
				`, $1::uuid, d.found, d.cues, d.written, COALESCE(d.analysis, 'null'), d.review, d.created_at` +
				rows(companyColumns()) + `, json_to_record(r.analysis) AS d (found jsonb, cues jsonb, written text, analysis jsonb,
					review text[], created_at timestamptz)` +
				ofNew("companies") + ` AND r.analysis IS NOT NULL`,
			team + `INSERT INTO corrections (company_id, field, account_id, detected, corrected, cues, excerpt, created_by,
				created_at, updated_at)
				SELECT ` + its("companies", "r.id") +
				`, k.field, $1::uuid, COALESCE(k.detected, 'null'), COALESCE(k.corrected, 'null'), k.cues, k.excerpt,
					` + author("k.created_by", "k.created_by_email") + `, k.created_at, k.updated_at` +
				rows(companyColumns()) + `, json_to_recordset(r.corrections) AS k (field text, detected jsonb,
					corrected jsonb, cues jsonb, excerpt text,
					created_by uuid, created_by_email text, created_at timestamptz, updated_at timestamptz)` + ofNew("companies") +
				` AND json_array_length(r.corrections) > 0`,
			team + `UPDATE companies c SET created_by = ` + maker + rows(companyColumns()) + ofNew("companies") + `
				AND c.id = ` + its("companies", "r.id") + ` AND r.visibility = 'shared' AND app_has_share(c.id)`,
		},
	}
}

func restoreFiles() restore {
	return restore{
		parent: "company_id", parents: "companies", stored: true,
		insert: team + `INSERT INTO company_files (id, account_id, company_id, role, attachment_type, position, title,
			description, storage_path,
				link_url, size_bytes, media_type, original_filename, sha256, created_by, created_at, updated_at)
			SELECT ` + its("company_files", "r.id") + `, $1::uuid, ` + its("companies", "r.company_id") +
			`, r.role, r.attachment_type, r.position, r.title,
				r.description, $3::text, r.link_url, r.size_bytes, r.media_type, r.original_filename, r.sha256,
				` + author("r.created_by", "r.created_by_email") + `, r.created_at, r.updated_at` +
			rows(fileColumns) + ` WHERE r.attachment_type = 'link' OR $3::text IS NOT NULL ON CONFLICT DO NOTHING RETURNING id`,
		parts: []string{
			`INSERT INTO file_texts (file_id, account_id, company_id, reader, title, pages, error, created_at)
				SELECT ` + its("company_files", "r.id") + `, $1::uuid, ` + its("companies", "r.company_id") +
				`, t.reader, t.title, t.pages, t.error, t.created_at` +
				rows(fileColumns) + `, json_to_record(r.text) AS t (reader text, title text, pages jsonb, error text,
					created_at timestamptz)` +
				ofNew("company_files") + ` AND r.text IS NOT NULL`,
			`UPDATE companies c SET deck_storage_path = f.storage_path FROM company_files f
				WHERE $2::json IS NOT NULL AND f.account_id = $1::uuid AND f.id = ANY ($3::uuid[]) AND f.role = 'deck'
				AND c.id = f.company_id`,
		},
	}
}

func restoreEmails() restore {
	const columns = `AS r (id uuid, external_id text, from_email text, from_name text, to_emails text[], subject text,
		content text,
		content_preview text, tags text[], attachments_count integer, processed boolean, metadata jsonb,
		created_at timestamptz,
		updated_at timestamptz, companies json)`
	return restore{
		insert: `INSERT INTO emails (id, account_id, external_id, from_email, from_name, to_emails, subject, content,
			content_preview, tags,
				attachments_count, processed, metadata, created_at, updated_at)
			SELECT ` + its("emails", "r.id") +
			`, $1::uuid, r.external_id, r.from_email, r.from_name, COALESCE(r.to_emails, '{}'), r.subject, r.content,
				r.content_preview, COALESCE(r.tags, '{}'), r.attachments_count, r.processed,
				COALESCE(r.metadata, '{}'), r.created_at, r.updated_at` +
			rows(columns) + ` ORDER BY r.external_id ON CONFLICT DO NOTHING RETURNING id`,
		parts: []string{
			`INSERT INTO email_companies (email_id, company_id, account_id, created_at)
				SELECT ` + its("emails", "r.id") + `, c.id, $1::uuid, l.created_at` +
				rows(columns) + `, json_to_recordset(r.companies) AS l (company_id uuid, created_at timestamptz)
				JOIN companies c ON c.account_id = $1::uuid AND c.id = ` + its("companies", "l.company_id") + ofNew("emails") +
				` ON CONFLICT DO NOTHING`,
		},
	}
}
