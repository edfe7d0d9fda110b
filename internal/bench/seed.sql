-- Companies with all that belongs to them, as the service writes it. bench_texts holds the texts they are made of.
SET session_replication_role = replica; -- no triggers and no foreign keys: what they would do stands below

UPDATE bench_texts SET words = app_vector(app_words(concat_ws(E'\n', summary, content)));

CREATE TEMPORARY TABLE bench_accounts AS
SELECT n, md5('account' || n)::uuid AS id, md5('user' || n)::uuid AS owner FROM generate_series(0, current_setting('bench.accounts')::int - 1) AS n;

INSERT INTO users (id, email, name) SELECT owner, 'owner' || n || '@fund.example', 'Owner ' || n FROM bench_accounts;
INSERT INTO users (id, email, name)
SELECT md5('member' || a.n || '.' || m)::uuid, 'member' || m || '.' || a.n || '@fund.example', 'Member ' || m FROM bench_accounts a, generate_series(1, 4) AS m;
INSERT INTO accounts (id, name) SELECT id, 'Fund ' || n FROM bench_accounts;
INSERT INTO memberships (id, account_id, user_id, role) SELECT gen_random_uuid(), id, owner, 'owner' FROM bench_accounts;
INSERT INTO memberships (id, account_id, user_id, role)
SELECT gen_random_uuid(), a.id, md5('member' || a.n || '.' || m)::uuid, 'member' FROM bench_accounts a, generate_series(1, 4) AS m;
INSERT INTO api_keys (id, user_id, name, hash, hint)
SELECT gen_random_uuid(), owner, 'bench', sha256(convert_to('mk_bench' || n, 'UTF8')), 'mk_benc' FROM bench_accounts;
INSERT INTO company_statuses (id, account_id, name, color, rank, is_default)
SELECT md5('status' || a.n || '.' || s.rank)::uuid, a.id, s.name, '#3B82F6', s.rank, s.rank = 1
FROM bench_accounts a, unnest(ARRAY['New', 'Screening', 'First Meeting', 'Due Diligence', 'Term Sheet', 'Invested', 'Passed']) WITH ORDINALITY AS s (name, rank);
INSERT INTO meeting_minutes (id, account_id, title, content, meeting_date, created_by)
SELECT gen_random_uuid(), a.id, 'Monday round', 'Notes', now() - m * interval '1 day', a.owner FROM bench_accounts a, generate_series(1, 30) AS m;

-- One row each, with the parts that its words and keys are made of.
CREATE TEMPORARY TABLE bench_companies AS
SELECT i, md5('company' || i)::uuid AS id, a.id AS account_id, a.owner, a.n AS account,
    p.words[1 + i % 97] AS first, p.words[1 + (i / 97) % 89] AS second, lpad(i::text, 7, '0') AS number,
    CASE WHEN i % 20 < 16 THEN 'team' WHEN i % 20 < 18 THEN 'shared' ELSE 'private' END AS visibility,
    CASE WHEN i % 10 < 9 THEN a.owner ELSE md5('member' || a.n || '.1')::uuid END AS creator,
    (ARRAY['manual', 'email', 'form', 'referral', 'website', 'event', 'other'])[1 + (i / 3) % 7] AS source,
    CASE WHEN i % 8 < 7 THEN md5('status' || a.n || '.' || (1 + i % 8))::uuid END AS status,
    now() - i * (interval '700 days' / current_setting('bench.companies')::int) AS created_at
FROM generate_series(1, current_setting('bench.companies')::int) AS i
    JOIN bench_accounts a ON a.n = i % current_setting('bench.accounts')::int,
    (SELECT array_agg(DISTINCT w) AS words FROM regexp_split_to_table((SELECT string_agg(content, ' ') FROM bench_texts WHERE n < 20), '[^a-z]+') AS w WHERE length(w) > 4) AS p;

INSERT INTO companies (id, account_id, name, deck_link, deck_storage_path, visibility, source, source_content, notes, company_status_id, metadata,
    created_by, updated_by, created_at, updated_at, words)
SELECT c.id, c.account_id, initcap(c.first || ' ' || c.second) || ' ' || c.number, 'https://docsend.com/view/' || md5(c.number),
    'companies/' || c.id || '/' || md5('file' || c.i)::uuid, c.visibility, c.source, t.content, 'met ' || c.second, c.status,
    jsonb_build_object('founders', jsonb_build_array(
            jsonb_build_object('name', 'Ada L' || c.number, 'email', 'ada@' || c.first || c.number || '.example', 'phone', '', 'title', 'CEO', 'background', 'engineer',
                'linkedin_profile', ''),
            jsonb_build_object('name', 'Grace H' || c.number, 'email', 'grace@' || c.first || c.number || '.example', 'phone', '', 'title', 'CTO', 'background', 'engineer',
                'linkedin_profile', '')),
        'ai_analysis', t.summary, 'analyzed_at', '2026-01-02T03:04:05Z',
        'user_preferences', jsonb_build_array(jsonb_build_object('type', 'text', 'field', 'sector', 'value', c.first, 'options', '[]'::jsonb, 'show_in_table', true))),
    c.creator, c.creator, c.created_at, c.created_at,
    t.words || array_to_tsvector(ARRAY[c.first, c.second, c.number, 'met', 'ada', 'l' || c.number, 'grace', 'h' || c.number, c.first || c.number, 'example', 'ceo', 'cto',
        'engineer', '2026', '01', '02t03', '04', '05z', 'text', 'sector',
        '#a:' || c.account_id, '#v:' || c.visibility, '#s:' || c.source, '#p:' || COALESCE(c.status::text, 'none'),
        CASE c.visibility WHEN 'team' THEN '#t:' || c.account_id ELSE '#u:' || c.account_id || ':' || c.creator END])
FROM bench_companies c JOIN bench_texts t ON t.n = (c.i::bigint * 7919) % current_setting('bench.texts')::int;

INSERT INTO company_keys (company_id, account_id, kind, value)
SELECT c.id, c.account_id, k.kind, k.value FROM bench_companies c, LATERAL (VALUES ('name', c.first || ' ' || c.second || ' ' || c.number),
    ('email', 'ada@' || c.first || c.number || '.example'), ('email', 'grace@' || c.first || c.number || '.example'), ('domain', c.first || c.number || '.example'),
    ('deck', encode(sha256(c.number::bytea), 'hex'))) AS k (kind, value);
INSERT INTO company_files (id, account_id, company_id, role, attachment_type, title, storage_path, size_bytes, media_type, original_filename, sha256, created_by)
SELECT md5('file' || i)::uuid, account_id, id, 'deck', 'file', 'deck.pdf', 'companies/' || id || '/' || md5('file' || i)::uuid, 400000, 'application/pdf', 'deck.pdf',
    encode(sha256(number::bytea), 'hex'), creator FROM bench_companies;
INSERT INTO company_assignees (company_id, account_id, user_id)
SELECT id, account_id, md5('member' || account || '.' || (1 + i % 4))::uuid FROM bench_companies WHERE i % 3 = 0 AND visibility = 'team';
INSERT INTO activity (id, account_id, user_id, type, description, company_id, created_at)
SELECT gen_random_uuid(), account_id, creator, 'company_added', 'added a company', id, created_at FROM bench_companies;

-- The counts of the dashboard, which older schemas lack: the bench measures these too.
DO $$
BEGIN
    IF to_regclass('company_counts') IS NOT NULL THEN
        INSERT INTO company_counts (account_id, viewer, kind, key, count)
        SELECT c.account_id, CASE c.visibility WHEN 'team' THEN '00000000-0000-0000-0000-000000000000' ELSE c.creator END, k.kind, k.key, count(*)
        FROM bench_companies c CROSS JOIN LATERAL (VALUES ('s'::"char", COALESCE(c.status::text, '')), ('o', c.source),
            ('d', (c.created_at AT TIME ZONE 'UTC')::date::text)) AS k (kind, key)
        GROUP BY 1, 2, 3, 4;
    END IF;
END
$$;

DROP TABLE bench_companies, bench_accounts;
