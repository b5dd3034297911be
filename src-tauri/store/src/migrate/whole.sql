CREATE TABLE events (
            conversation TEXT NOT NULL,
            seq INTEGER NOT NULL CHECK (seq > 0),
            at INTEGER NOT NULL,
            kind TEXT NOT NULL,
            body TEXT NOT NULL,
            PRIMARY KEY (conversation, seq)
        ) STRICT, WITHOUT ROWID;
CREATE INDEX events_messages ON events (conversation, seq)
            WHERE kind IN ('user/message', 'assistant/message');
CREATE TABLE purging (conversation TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TRIGGER events_never_change BEFORE UPDATE ON events
        BEGIN SELECT RAISE(ABORT, 'an event never changes'); END;
CREATE TRIGGER events_stay BEFORE DELETE ON events
        WHEN NOT EXISTS (SELECT 1 FROM purging WHERE conversation = OLD.conversation)
        BEGIN SELECT RAISE(ABORT, 'an event is never deleted alone'); END;
CREATE TABLE projects (
            id TEXT PRIMARY KEY,
            name TEXT NOT NULL,
            folder TEXT NOT NULL,
            opened_at INTEGER NOT NULL,
            removed INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX projects_by_folder ON projects (folder);
CREATE TABLE conversations (
            id TEXT PRIMARY KEY,
            project TEXT,
            workspace TEXT,
            title TEXT NOT NULL DEFAULT '',
            mode TEXT NOT NULL DEFAULT 'ask',
            model TEXT,
            generating INTEGER NOT NULL DEFAULT 0,
            stopping INTEGER NOT NULL DEFAULT 0,
            ended TEXT,
            archived INTEGER NOT NULL DEFAULT 0,
            seq INTEGER NOT NULL,
            -- The last message or discarded answer: chunks before it are settled.
            settled INTEGER NOT NULL DEFAULT 0,
            -- The last thing that deserves a look: an ended turn or a new card.
            notable INTEGER NOT NULL DEFAULT 0,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL
        , fallbacks TEXT NOT NULL DEFAULT '[]', origin TEXT, origin_seq INTEGER, parent TEXT, parent_call TEXT, origin_imported INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
CREATE INDEX conversations_generating ON conversations (id) WHERE generating = 1;
CREATE TABLE executions (
            call TEXT PRIMARY KEY,
            conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
            -- The message that proposed it, and its place in that message.
            seq INTEGER NOT NULL,
            position INTEGER NOT NULL,
            tool TEXT NOT NULL,
            arguments TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('proposed', 'pending', 'approved', 'cleared', 'executing', 'finished',
                'failed', 'unknown', 'rejected', 'refused', 'expired', 'stopped')),
            tier TEXT,
            read_only INTEGER NOT NULL DEFAULT 0,
            digest TEXT,
            card TEXT,
            decided_by TEXT,
            note TEXT,
            attempt INTEGER NOT NULL DEFAULT 0,
            boot TEXT,
            -- JSON array of paths that it touches.
            targets TEXT NOT NULL DEFAULT '[]',
            proposed_at INTEGER NOT NULL,
            started_at INTEGER,
            ended_at INTEGER,
            -- How it ended; none: it has no result yet.
            outcome TEXT,
            cause TEXT,
            duration_ms INTEGER
        ) STRICT, WITHOUT ROWID;
CREATE INDEX executions_in_order ON executions (conversation, seq, position);
CREATE INDEX executions_by_time ON executions (proposed_at);
CREATE INDEX executions_running ON executions (call) WHERE state = 'executing';
CREATE TABLE cards (
            call TEXT PRIMARY KEY REFERENCES executions (call) ON DELETE CASCADE,
            conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
            body TEXT NOT NULL,
            -- When the present card was asked for.
            since INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
CREATE INDEX cards_by_conversation ON cards (conversation);
CREATE TABLE queue (
            item TEXT PRIMARY KEY,
            conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
            seq INTEGER NOT NULL,
            body TEXT NOT NULL,
            delivery TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
CREATE INDEX queue_by_conversation ON queue (conversation, seq);
CREATE TABLE requests (
            request TEXT PRIMARY KEY,
            conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
            -- The event that says how it was sent last; none: only its usage is known.
            seq INTEGER,
            purpose TEXT NOT NULL,
            provider TEXT NOT NULL DEFAULT '',
            model TEXT NOT NULL DEFAULT '',
            digest TEXT,
            input INTEGER,
            output INTEGER,
            cache_read INTEGER,
            cache_write INTEGER,
            reasoning INTEGER,
            cost_micros INTEGER
        , ended_at INTEGER) STRICT, WITHOUT ROWID;
CREATE INDEX requests_by_conversation ON requests (conversation, seq);
CREATE TABLE contents (
                id INTEGER PRIMARY KEY,
                hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
                body BLOB NOT NULL
            , in_file INTEGER CHECK (in_file >= 0)) STRICT;
CREATE TABLE content_references (
            hash BLOB NOT NULL,
            conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
            PRIMARY KEY (hash, conversation)
        ) STRICT, WITHOUT ROWID;
CREATE INDEX content_references_by_conversation ON content_references (conversation);
CREATE TABLE deletions (
            conversation TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
            at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
CREATE TABLE drafts (
            conversation TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
            body TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
CREATE TABLE reads (
            conversation TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
            seq INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
CREATE TABLE notices (id INTEGER PRIMARY KEY, body TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE settings (name TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE coefficients (model TEXT PRIMARY KEY, value REAL NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX requests_by_end ON requests (ended_at);
CREATE TABLE purged_usage (
            -- Milliseconds since 1970, a multiple of 15 minutes: every time zone has its midnight on one.
            slot INTEGER NOT NULL,
            provider TEXT NOT NULL,
            model TEXT NOT NULL,
            purpose TEXT NOT NULL,
            requests INTEGER NOT NULL,
            uncounted INTEGER NOT NULL,
            unpriced INTEGER NOT NULL,
            input INTEGER,
            output INTEGER,
            cache_read INTEGER,
            cache_write INTEGER,
            reasoning INTEGER,
            cost_micros INTEGER,
            PRIMARY KEY (slot, provider, model, purpose)
        ) STRICT, WITHOUT ROWID;
CREATE TABLE attachments (
            hash BLOB NOT NULL,
            conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
            media_type TEXT NOT NULL,
            PRIMARY KEY (hash, conversation)
        ) STRICT, WITHOUT ROWID;
CREATE INDEX attachments_by_conversation ON attachments (conversation);
CREATE TABLE search_documents (
            id INTEGER PRIMARY KEY,
            conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
            -- The message's event; 0: the title.
            seq INTEGER NOT NULL,
            who TEXT NOT NULL,
            -- When it was said; 0: the title.
            at INTEGER NOT NULL,
            UNIQUE (conversation, seq)
        ) STRICT;
CREATE VIRTUAL TABLE search_index USING fts5 (
            terms, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2', prefix = '2'
        );
CREATE TABLE search_waiting (
            conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
            seq INTEGER NOT NULL,
            PRIMARY KEY (conversation, seq)
        ) STRICT, WITHOUT ROWID;
CREATE TABLE search_backlog (
            conversation TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
            done INTEGER NOT NULL,
            upto INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
CREATE TABLE search_sweep (begun INTEGER NOT NULL) STRICT;
CREATE TRIGGER events_have_no_gap BEFORE INSERT ON events
        WHEN NEW.seq <> 1 + coalesce(
            (SELECT max(seq) FROM events WHERE conversation = NEW.conversation),
            iif(NEW.kind = 'conversation/created', json_extract(NEW.body, '$.fork.seq'), 0), 0)
        BEGIN SELECT RAISE(ABORT, 'an event takes the next number'); END;
CREATE INDEX conversations_by_origin ON conversations (origin) WHERE origin IS NOT NULL;
CREATE INDEX conversations_by_parent ON conversations (parent) WHERE parent IS NOT NULL;
CREATE TABLE questions (
            call TEXT PRIMARY KEY REFERENCES executions (call) ON DELETE CASCADE,
            conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
            question TEXT NOT NULL,
            -- JSON array of the answers on offer.
            options TEXT NOT NULL,
            since INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
CREATE INDEX questions_by_conversation ON questions (conversation);
CREATE TABLE trusted (
            root TEXT NOT NULL,
            path TEXT NOT NULL,
            hash BLOB NOT NULL,
            body TEXT NOT NULL,
            at INTEGER NOT NULL,
            PRIMARY KEY (root, path, hash)
        ) STRICT, WITHOUT ROWID;
CREATE TABLE imported (
            conversation TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
            at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
CREATE TABLE draft_attachments (
            conversation TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
            -- JSON.
            list TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
