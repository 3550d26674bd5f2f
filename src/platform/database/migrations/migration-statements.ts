/** A comment, a string, a quoted name, a dollar-quoted text, a semicolon, or the text between them. */
const TOKEN = /--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|'(?:[^']|'')*'|"(?:[^"]|"")*"|;|[^;'"$/-]+|[\s\S]/g;

/** The statements of a migration's file, without semicolons and without the comments between statements. */
export function splitStatements(sql: string): string[] {
  const statements = [''];
  for (const [token] of sql.matchAll(TOKEN)) {
    if (token === ';') statements.push('');
    else if (!/^(--|\/\*)/.test(token) || statements.at(-1)?.trim()) statements.push(statements.pop() + token);
  }
  return statements.map((statement) => statement.trim()).filter(Boolean);
}

/** An index that a statement creates, and that may be created in another transaction. */
export interface CreatedIndex {
  readonly name: string;
  readonly table: string;
  readonly isUnique: boolean;
  /** the statement after the table's name */
  readonly rest: string;
}

/** The index of a CREATE INDEX; undefined for any other statement. */
export function createdIndex(statement: string): CreatedIndex | undefined {
  const [, unique, name, table, rest] =
    /^CREATE\s+(UNIQUE\s+)?INDEX\s+"?(\w+)"?\s+ON\s+"?(\w+)"?([\s\S]*)$/i.exec(statement) ?? [];
  return name && table ? { name, table, isUnique: unique !== undefined, rest: rest as string } : undefined;
}

/** The name of the index that a DROP INDEX drops. */
export function droppedIndex(statement: string): string | undefined {
  return /^DROP\s+INDEX\s+"?(\w+)"?$/i.exec(statement)?.[1];
}

/** The name of the function that a CREATE FUNCTION defines. */
export function definedFunction(statement: string): string | undefined {
  return /^CREATE\s+(?:OR\s+REPLACE\s+)?FUNCTION\s+"?(\w+)"?/i.exec(statement)?.[1];
}
