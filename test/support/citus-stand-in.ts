import { Client } from 'pg';

/**
 * The functions of Citus 13 that memoryd calls, with their signatures, in a database without it. They refuse what Citus
 * refuses of a schema (its tests `multi_foreign_key` and `multi_create_table_constraints`), note that a table is
 * distributed where Citus does, and leave its rows as they are. Nothing of this says how Citus runs a statement.
 */
const standIn = `
SET allow_system_table_mods = on;
CREATE SCHEMA citus;
CREATE TYPE citus.distribution_type AS ENUM ('hash', 'range', 'append');
CREATE TABLE citus.calls (place BIGINT GENERATED ALWAYS AS IDENTITY, call TEXT NOT NULL);
CREATE TABLE pg_catalog.pg_dist_partition (
  logicalrelid REGCLASS PRIMARY KEY, partmethod "char" NOT NULL, partkey TEXT, colocationid INT NOT NULL, repmodel "char" NOT NULL
);
CREATE FUNCTION citus.distributed(relation REGCLASS) RETURNS BOOLEAN LANGUAGE sql AS
  'SELECT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = relation)';

CREATE FUNCTION citus.assert_new(relation REGCLASS) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
  IF citus.distributed(relation) THEN RAISE EXCEPTION 'table "%" is already distributed', relation; END IF;
  IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = relation AND NOT tgisinternal) THEN
    RAISE EXCEPTION 'cannot distribute relation "%" because it has triggers', relation;
  END IF;
  IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = relation AND attidentity <> '' AND atttypid <> 'bigint'::regtype) THEN
    RAISE EXCEPTION 'cannot complete operation on % with smallint/int identity column', relation;
  END IF;
END $$;

CREATE FUNCTION citus.assert_foreign_keys(relation REGCLASS, key TEXT, colocation INT) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE fk RECORD; other RECORD;
BEGIN
  FOR fk IN SELECT *, (SELECT attnum FROM pg_attribute WHERE attrelid = relation AND attname = key) AS own
    FROM pg_constraint WHERE contype = 'f' AND conrelid = relation AND confrelid <> relation AND conparentid = 0
  LOOP
    SELECT * INTO other FROM pg_dist_partition WHERE logicalrelid = fk.confrelid;
    IF other IS NULL THEN RAISE EXCEPTION 'referenced table "%" must be a distributed table or a reference table', fk.confrelid::regclass; END IF;
    CONTINUE WHEN other.partmethod = 'n';
    IF key IS NULL THEN RAISE EXCEPTION 'cannot create foreign key constraint since foreign keys from reference tables and local tables to distributed tables are not supported'; END IF;
    IF other.colocationid <> colocation THEN RAISE EXCEPTION 'cannot create foreign key constraint since relations are not colocated or not referencing a reference table'; END IF;
    IF NOT EXISTS (
      SELECT FROM unnest(fk.conkey, fk.confkey) AS pair (here, there) JOIN pg_attribute a ON a.attrelid = fk.confrelid AND a.attnum = there
      WHERE here = fk.own AND a.attname = other.partkey
    ) THEN RAISE EXCEPTION 'cannot create foreign key constraint: % lacks the distribution column', fk.conname; END IF;
    IF fk.confdeltype IN ('n', 'd') OR fk.confupdtype IN ('n', 'd', 'c') THEN
      RAISE EXCEPTION 'cannot create foreign key constraint: SET NULL, SET DEFAULT or ON UPDATE CASCADE of % would change the distribution key', fk.conname;
    END IF;
  END LOOP;
END $$;

CREATE FUNCTION pg_catalog.create_reference_table(table_name REGCLASS) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
  PERFORM citus.assert_new(table_name), citus.assert_foreign_keys(table_name, NULL, 0);
  INSERT INTO pg_dist_partition VALUES (table_name, 'n', NULL, 0, 't');
  INSERT INTO citus.calls (call) VALUES (format('create_reference_table(%s)', table_name));
END $$;

CREATE FUNCTION pg_catalog.create_distributed_table(
  table_name REGCLASS, distribution_column TEXT, distribution_type citus.distribution_type DEFAULT 'hash',
  colocate_with TEXT DEFAULT 'default', shard_count INT DEFAULT NULL
) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE own INT; colocation INT;
BEGIN
  SELECT attnum INTO STRICT own FROM pg_attribute WHERE attrelid = table_name AND attname = distribution_column;
  SELECT CASE colocate_with WHEN 'none' THEN table_name::oid::int
    ELSE (SELECT colocationid FROM pg_dist_partition WHERE logicalrelid = colocate_with::regclass AND partmethod = 'h') END INTO colocation;
  IF colocation IS NULL THEN RAISE EXCEPTION 'relation % is not distributed', colocate_with; END IF;
  PERFORM citus.assert_new(table_name), citus.assert_foreign_keys(table_name, distribution_column, colocation);
  IF EXISTS (SELECT FROM pg_index WHERE indrelid = table_name AND indisunique AND NOT own = ANY(indkey::int2[])) THEN
    RAISE EXCEPTION 'cannot create constraint on "%": distributed relations cannot have UNIQUE, EXCLUDE, or PRIMARY KEY constraints that do not include the partition column', table_name;
  END IF;
  INSERT INTO pg_dist_partition VALUES (table_name, 'h', distribution_column, colocation, 's');
  INSERT INTO citus.calls (call) VALUES (format('create_distributed_table(%s, %s, %s)', table_name, distribution_column, colocate_with));
END $$;

CREATE FUNCTION pg_catalog.truncate_local_data_after_distributing_table(function_name REGCLASS) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
  IF NOT citus.distributed(function_name) THEN RAISE EXCEPTION 'supplied parameter is not a distributed relation'; END IF;
  IF EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND confrelid = function_name AND NOT citus.distributed(conrelid)) THEN
    RAISE EXCEPTION 'cannot truncate a table referenced in a foreign key constraint by a local table';
  END IF;
  INSERT INTO citus.calls (call) VALUES (format('truncate_local_data_after_distributing_table(%s)', function_name));
END $$`;

/** @param url of a database, as a superuser */
export async function installCitusStandIn(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(standIn);
  } finally {
    await client.end();
  }
}
