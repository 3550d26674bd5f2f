import {
  createdIndex,
  definedFunction,
  droppedIndex,
  splitStatements,
} from '../../../src/platform/database/migrations/migration-statements.js';

describe('the statements of a migration (S31)', () => {
  test('end at semicolons that are in no string, name, comment or function', () => {
    const sql = `-- one; comment
      CREATE TABLE a ("x;y" text DEFAULT 'it''s; so'); -- after
      /* ; */ CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;
      CREATE FUNCTION g() RETURNS text LANGUAGE sql AS $body$ SELECT '$$;' $body$;
      SELECT 4 / 2 - 1 -- inside; kept
        + 1`;
    expect(splitStatements(sql).map((statement) => statement.replace(/\s+/g, ' '))).toEqual([
      `CREATE TABLE a ("x;y" text DEFAULT 'it''s; so')`,
      'CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$',
      `CREATE FUNCTION g() RETURNS text LANGUAGE sql AS $body$ SELECT '$$;' $body$`,
      'SELECT 4 / 2 - 1 -- inside; kept + 1',
    ]);
  });

  test('an index may be built apart, also a unique one', () => {
    const index = { name: 'a_idx', table: 'a', isUnique: false, rest: ' (x) WHERE (x > 0)' };
    expect(createdIndex('CREATE INDEX a_idx\n  ON a (x) WHERE (x > 0)')).toEqual(index);
    expect(createdIndex('CREATE INDEX "a_idx" ON "a" (x) WHERE (x > 0)')).toEqual(index);
    expect(createdIndex('CREATE UNIQUE INDEX a_key ON a (x)')).toEqual({
      ...index,
      name: 'a_key',
      isUnique: true,
      rest: ' (x)',
    });
    expect(createdIndex('CREATE TABLE a (x int)')).toBeUndefined();
    expect(droppedIndex('DROP INDEX a_idx')).toBe('a_idx');
    expect(definedFunction('CREATE OR REPLACE FUNCTION error_cause(text)')).toBe('error_cause');
  });
});
