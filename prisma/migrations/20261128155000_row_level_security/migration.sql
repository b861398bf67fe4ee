SET LOCAL lock_timeout = '10s';

-- Tenancy by the database: requests are served under the role afluente_app, which sees the rows of the customer in the setting
-- app.customer, and none without it. Workers run as the user of DATABASE_URL, which the role afluente_worker exempts.

-- Roles belong to the whole server: another database may have made them, or make them at the same time.
DO $$
DECLARE
  role_name TEXT;
BEGIN
  FOREACH role_name IN ARRAY ARRAY['afluente_app', 'afluente_worker'] LOOP
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = role_name) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
      EXCEPTION
        WHEN duplicate_object OR unique_violation THEN NULL;
      END;
    END IF;
    IF NOT (CASE
      WHEN role_name = 'afluente_worker' THEN pg_has_role(current_user, role_name, 'USAGE')
      WHEN current_setting('server_version_num')::int >= 160000 THEN pg_has_role(current_user, role_name, 'SET')
      ELSE pg_has_role(current_user, role_name, 'MEMBER')
    END) THEN
      EXECUTE format('GRANT %I TO CURRENT_USER', role_name);
    END IF;
  END LOOP;
  IF NOT pg_has_role(current_user, 'afluente_worker', 'USAGE') THEN
    RAISE EXCEPTION 'the user % does not inherit the rights of its roles. Run as an administrator: ALTER ROLE % INHERIT',
      quote_ident(current_user), quote_ident(current_user);
  END IF;
EXCEPTION
  WHEN insufficient_privilege THEN
    RAISE EXCEPTION 'the user % may not create the roles of row-level security. Run as an administrator: CREATE ROLE afluente_app NOLOGIN; CREATE ROLE afluente_worker NOLOGIN; GRANT afluente_app, afluente_worker TO %; (leave out roles that exist), and start again',
      quote_ident(current_user), quote_ident(current_user);
END;
$$;

DO $$
DECLARE
  place TEXT := quote_ident(current_schema());
  target RECORD;
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA %s TO afluente_app, afluente_worker', place);
  -- Not those of extensions, which may be in the same schema.
  FOR target IN
    SELECT oid::regclass AS name, relkind AS kind FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'S') AND relname <> '_prisma_migrations'
       AND pg_has_role(relowner, 'USAGE')
  LOOP
    EXECUTE format('GRANT %s %s TO afluente_app, afluente_worker',
      CASE target.kind WHEN 'S' THEN 'USAGE, SELECT ON SEQUENCE' ELSE 'SELECT, INSERT, UPDATE, DELETE ON TABLE' END, target.name);
  END LOOP;
  -- Tables of later migrations.
  EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA %s GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO afluente_app, afluente_worker', place);
  EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA %s GRANT USAGE, SELECT ON SEQUENCES TO afluente_app, afluente_worker', place);
END;
$$;

-- What requests have no use for.
REVOKE ALL ON "SecretFingerprint" FROM afluente_app;
REVOKE INSERT, UPDATE, DELETE ON "Worker", "ChainTracker", "TrackedBlock", "IndexCursor", "IndexedBlock", "CounterDrift",
  "StrategyState", "StrategySample", "PriceSample", "DeploymentFees", "RampCallback" FROM afluente_app;

-- Shows each customer the rows of a table for which the condition holds, and nothing else. Workers see and change all rows. The
-- sub-select is evaluated once for each statement. After a local setting the setting is empty, not null. `command` is SELECT for
-- rows that requests only read.
CREATE FUNCTION "protectTable"(
  target REGCLASS,
  condition TEXT DEFAULT '"customerId" = (SELECT nullif(current_setting(''app.customer'', true), '''')::uuid)',
  command TEXT DEFAULT 'ALL'
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', target);
  EXECUTE format('CREATE POLICY service ON %s TO afluente_worker USING (true) WITH CHECK (true)', target);
  EXECUTE format('CREATE POLICY customer ON %s FOR %s TO afluente_app USING (%s)', target, command, condition)
    || CASE command WHEN 'ALL' THEN format(' WITH CHECK (%s)', condition) ELSE '' END;
END;
$$;

DO $$
DECLARE
  target REGCLASS;
BEGIN
  FOR target IN
    SELECT place.oid::regclass
      FROM pg_class AS place
      JOIN pg_attribute AS owner ON owner.attrelid = place.oid AND owner.attname = 'customerId' AND NOT owner.attisdropped
     WHERE place.relnamespace = current_schema()::regnamespace AND place.relkind = 'r'
       AND place.oid <> '"WalletBackfill"'::regclass
     ORDER BY place.relname
  LOOP
    PERFORM "protectTable"(target);
  END LOOP;
END;
$$;

SELECT "protectTable"('"Customer"', 'id = (SELECT nullif(current_setting(''app.customer'', true), '''')::uuid)');

-- Items of a chain that concern no single action make the actions of all customers wait.
CREATE POLICY chains ON "Quarantine" FOR SELECT TO afluente_app USING ("customerId" IS NULL);

-- Movements are recorded once for all customers that watch a wallet. Other customers do not see which wallets are watched.
SELECT "protectTable"('"WatchedWallet"', format(watched, 'WalletWatch', 'WatchedWallet', 'id'), 'SELECT'),
       "protectTable"('"WalletBackfill"', format(watched, 'WalletWatch', 'WalletBackfill', 'walletId'), 'SELECT'),
       "protectTable"('"LedgerEntry"', format(watched, 'WalletWatch', 'LedgerEntry', 'walletId'), 'SELECT'),
       "protectTable"('"SolanaWallet"', format(watched, 'SolanaWatch', 'SolanaWallet', 'id'), 'SELECT'),
       "protectTable"('"SolanaAccount"', format(watched, 'SolanaWatch', 'SolanaAccount', 'walletId'), 'SELECT'),
       "protectTable"('"SolanaSignature"', format(watched, 'SolanaWatch', 'SolanaSignature', 'walletId'), 'SELECT'),
       "protectTable"('"SolanaMovement"', format(watched, 'SolanaWatch', 'SolanaMovement', 'walletId'), 'SELECT')
  FROM (VALUES ('EXISTS (SELECT 1 FROM %I AS watch WHERE watch."customerId" = (SELECT nullif(current_setting(''app.customer'', true), '''')::uuid) AND watch."walletId" = %I.%I)'))
       AS conditions(watched);

-- Requests add jobs. The queue protects its tables from all but their owner, with whose rights this function runs. The queue is
-- created by a worker, later than this function.
CREATE FUNCTION "addJob"(job TEXT, payload JSON, run_at TIMESTAMPTZ, job_key TEXT) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM graphile_worker.add_job(identifier := job, payload := payload, run_at := run_at, job_key := job_key);
END;
$$;

REVOKE ALL ON FUNCTION "addJob"(TEXT, JSON, TIMESTAMPTZ, TEXT) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "addJob"(TEXT, JSON, TIMESTAMPTZ, TEXT) TO afluente_app, afluente_worker;
