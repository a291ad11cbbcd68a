/** The schema of a database as SQL, from PostgreSQL's catalogs: the effect of the migrations, for a person to read. */
import { type Kysely, sql } from 'kysely';

/**
 * One line a column (with what only ALTER TABLE sets of it), constraint and index, in the tables' order; the same on
 * PostgreSQL 15 to 18, and in each schema.
 */
export async function describeSchema<DB>(database: Kysely<DB>): Promise<string> {
  const { rows } = await sql<{
    table: string;
    kind: string;
    columns: string;
    constraints: string | null;
    options: string | null;
  }>`
    SELECT relname AS table, CASE relpersistence WHEN 'u' THEN 'UNLOGGED TABLE' ELSE 'TABLE' END AS kind,
      array_to_string(reloptions, ', ') AS options,
      (SELECT string_agg(format('  %I %s%s%s%s%s%s', attname, format_type(atttypid, atttypmod),
          CASE WHEN attstorage <> typstorage THEN ' STORAGE ' ||
            CASE attstorage WHEN 'p' THEN 'PLAIN' WHEN 'e' THEN 'EXTERNAL' WHEN 'm' THEN 'MAIN' ELSE 'EXTENDED' END END,
          CASE WHEN attcollation <> 0 AND collname <> 'default' THEN format(' COLLATE %I', collname) END,
          CASE WHEN attnotnull THEN ' NOT NULL' END,
          CASE attgenerated WHEN 's' THEN format(' GENERATED ALWAYS AS (%s) STORED', pg_get_expr(adbin, adrelid))
            ELSE ' DEFAULT ' || pg_get_expr(adbin, adrelid) END,
          -- Without a target of its own a column has -1 before PostgreSQL 17, and NULL since.
          CASE WHEN attstattarget >= 0 THEN ' STATISTICS ' || attstattarget END), E',\n' ORDER BY attnum)
        FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
          LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
          LEFT JOIN pg_collation ON pg_collation.oid = attcollation
        WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped) AS columns,
      (SELECT string_agg('  ' || pg_get_constraintdef(oid), E',\n' ORDER BY contype DESC, pg_get_constraintdef(oid))
        FROM pg_constraint WHERE conrelid = pg_class.oid AND contype <> 'n') AS constraints
    FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname NOT LIKE 'kysely_%'
    ORDER BY relname`.execute(database);
  const indexes = await sql<{ definition: string }>`
    SELECT replace(indexdef, ' ON ' || quote_ident(schemaname) || '.', ' ON public.') AS definition FROM pg_indexes
    WHERE schemaname = current_schema() AND tablename NOT LIKE 'kysely_%'
      AND indexname NOT IN (SELECT conname FROM pg_constraint)
    ORDER BY tablename, indexname`.execute(database);
  const tables = rows.map(({ table, kind, columns, constraints, options }) => {
    const body = [columns, constraints].filter((part) => part !== null).join(',\n');
    return `CREATE ${kind} ${table} (\n${body}\n)${options ? ` WITH (${options})` : ''};\n`;
  });
  const header =
    '-- The schema after all migrations. Written by migrate.test.ts (vitest --update), never by hand.\n';
  return [header, ...tables, indexes.rows.map(({ definition }) => `${definition};\n`).join('')].join('\n');
}
