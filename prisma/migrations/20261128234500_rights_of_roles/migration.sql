SET LOCAL lock_timeout = '10s';

-- Roles belong to the server: a user of another database there may be a member of afluente_worker. The user of DATABASE_URL owns
-- the tables. It needs the membership, which the policies name, and no right of the role.
DO $$
DECLARE
  place TEXT := quote_ident(current_schema());
  target RECORD;
BEGIN
  FOR target IN
    SELECT oid::regclass AS name, relkind AS kind FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'S') AND pg_has_role(relowner, 'USAGE')
  LOOP
    EXECUTE format('REVOKE ALL ON %s %s FROM afluente_worker', CASE target.kind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, target.name);
  END LOOP;
  EXECUTE format('REVOKE USAGE ON SCHEMA %s FROM afluente_worker', place);
  EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA %s REVOKE ALL ON SEQUENCES FROM afluente_worker', place);
  -- "protectTable" gives requests the rights on a table. A view would show them the rows that its owner sees.
  EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA %s REVOKE ALL ON TABLES FROM afluente_app, afluente_worker', place);
END;
$$;

-- The user takes the role of requests with SET ROLE, and needs no right of it otherwise.
DO $$
BEGIN
  IF current_setting('server_version_num')::integer < 160000 THEN RETURN; END IF;
  EXECUTE format('GRANT afluente_app TO %I WITH INHERIT FALSE', current_user);
EXCEPTION
  WHEN insufficient_privilege THEN
    RAISE NOTICE 'an administrator should run: GRANT afluente_app TO % WITH INHERIT FALSE', quote_ident(current_user);
END;
$$;

REVOKE ALL ON FUNCTION "addJob"(TEXT, JSON, TIMESTAMPTZ, TEXT) FROM afluente_worker;

CREATE OR REPLACE FUNCTION "protectTable"(
  target REGCLASS,
  condition TEXT DEFAULT '"customerId" = (SELECT nullif(current_setting(''app.customer'', true), '''')::uuid)',
  command TEXT DEFAULT 'ALL'
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', target);
  EXECUTE format('GRANT %s ON TABLE %s TO afluente_app',
    CASE command WHEN 'ALL' THEN 'SELECT, INSERT, UPDATE, DELETE' ELSE command END, target);
  EXECUTE format('CREATE POLICY service ON %s TO afluente_worker USING (true) WITH CHECK (true)', target);
  EXECUTE format('CREATE POLICY customer ON %s FOR %s TO afluente_app USING (%s)', target, command, condition)
    || CASE command WHEN 'ALL' THEN format(' WITH CHECK (%s)', condition) ELSE '' END;
END;
$$;
