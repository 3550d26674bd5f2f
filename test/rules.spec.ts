import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { readSpecification, type Section, sectionsOfSpecification } from './support/specification.js';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const FRONT_PAGE = join(ROOT, 'docs/specification.md');
/** With this variable the index of the front page is written, and not compared. */
const { UPDATE_INDEX } = process.env;
/** The letters of the sections, each the first of a heading, and that of the limits. */
const LETTERS = [...sectionsOfSpecification().map(({ text }) => text.charAt(2)), 'L'].join('');
/** One rule, or several in a row: `W6 to W8`. */
// X11 in the name of a browser is no rule
const IDS = new RegExp(`\\b(?!X11\\b)([${LETTERS}])([1-9]\\d{0,2})\\b(?: to \\1([1-9]\\d{0,2})\\b)?`, 'g');

interface Rule {
  readonly id: string;
  readonly text: string;
}

/**
 * The rules of a specification: `- **W1** …` with the lines that belong to it, and rows of tables, `| **D8** | …`. One that is struck
 * out is none any more.
 */
function rulesOf(specification: string): Rule[] {
  const entries = specification.split(/^(?=- (?:~~)?\*\*[A-Z]\d+\*\*|\s*\| (?:~~)?\*\*[A-Z]\d+\*\* \||#)/m);
  return entries.flatMap((text) => {
    const [, id] = /^(?:- |\s*\| )\*\*([A-Z]\d+)\*\*(?! (?:\| )?~~)/.exec(text) ?? [];
    return id ? [{ id, text }] : [];
  });
}

/** Whether the rule says that it cannot be reached by a test, with a reason. */
function isBeyondReach({ text }: Rule): boolean {
  return /\(cannot be reached by a test: [^)]{10,}\)/i.test(text.replaceAll(/\s+/g, ' '));
}

/** The names of the tests in a suite, and what the tables of `.each` put into them. */
function namesIn(file: string, source: string): string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const [name, ...others] = node.arguments;
      const hasBody = others.some((argument) => ts.isArrowFunction(argument) || ts.isFunctionExpression(argument));
      if (name && hasBody && (ts.isStringLiteralLike(name) || ts.isTemplateExpression(name)))
        names.push(name.getText());
      if (/\.each(?:<.*>)?$/s.test(node.expression.getText())) names.push(...textsIn(node));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true));
  return names;
}

function textsIn(node: ts.Node): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  const texts: string[] = [];
  ts.forEachChild(node, (child) => {
    texts.push(...textsIn(child));
  });
  return texts;
}

/** The ids that a text names; `W6 to W8` are three. */
function idsIn(text: string): string[] {
  return [...text.matchAll(IDS)].flatMap(([, section, first, last = first]) =>
    Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => `${section}${Number(first) + index}`),
  );
}

/** The beginning of a rule: its title in the index until a person writes a better one. */
function beginningOf({ text }: Rule): string {
  const [, words = ''] = /\*\*[A-Z]\d+\*\*(?: \|)? (.*)/s.exec(text) ?? [];
  return words.replaceAll(/\s+/g, ' ').split(/[.:;] | \|/)[0] as string;
}

/** The heading of a section without its `#`: `W. Webhook`. */
const titleOf = ({ text }: Section) => text.slice(2, text.indexOf('\n'));

/** The index of the front page: the rules by letter and number, each with its file and its title. */
function indexOf(sections: readonly Section[], titles: ReadonlyMap<string, string>): string {
  const rules = sections.flatMap(({ file, text }) => rulesOf(text).map((rule) => ({ ...rule, file })));
  return [...sections.map(titleOf), 'L. Limits']
    .toSorted()
    .map((heading) => {
      const lines = rules
        .filter(({ id }) => id.startsWith(heading.slice(0, 1)))
        .toSorted((one, other) => Number(one.id.slice(1)) - Number(other.id.slice(1)))
        .map((rule) => `- [${rule.id}](specification/${rule.file}) ${titles.get(rule.id) ?? beginningOf(rule)}\n`);
      return `\n### ${heading}\n\n${lines.join('')}`;
    })
    .join('');
}

/** The titles that an index has. */
const titlesIn = (index: string) =>
  new Map(
    [...index.matchAll(/^- \[([A-Z]\d+)\]\(.+?\) (.+)$/gm)].map(([, id, title]) => [id as string, title as string]),
  );

function suites(): string[] {
  return readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.spec.ts'))
    .map((name) => join(ROOT, 'test', name));
}

describe('docs/specification.md, the front page', () => {
  const sections = sectionsOfSpecification();
  const page = readFileSync(FRONT_PAGE, 'utf8');
  const begin = page.indexOf('\n### ');

  test('its index has each rule once, with the file where it stands; UPDATE_INDEX=write writes it and keeps the titles', () => {
    const index = indexOf(sections, titlesIn(page.slice(begin)));
    if (UPDATE_INDEX) writeFileSync(FRONT_PAGE, page.slice(0, begin) + index);
    else expect(page.slice(begin)).toBe(index);
  });

  test('it links to each section by its letter and name', () => {
    const rows = [...page.matchAll(/^\| ([A-Z]) \| \[(.+)\]\(specification\/(.+)\) \|/gm)];
    expect(rows.map(([, letter, name, file]) => `${file}: ${letter}. ${name}`).toSorted()).toEqual(
      sections.map((section) => `${section.file}: ${titleOf(section)}`),
    );
  });

  test('a section has the rules of its letter, and its limits under the heading Limits, the last', () => {
    for (const section of sections) {
      const [rules = '', limits = ''] = section.text.split('\n## Limits\n');
      const strange = [
        ...rulesOf(rules).filter(({ id }) => id[0] !== titleOf(section)[0]),
        ...rulesOf(limits).filter(({ id }) => !id.startsWith('L')),
      ];
      expect([section.file, strange.map(({ id }) => id)]).toEqual([section.file, []]);
    }
  });
});

describe('every rule is named by the test that proves it (P7)', () => {
  const rules = rulesOf(readSpecification());
  const named = new Set(
    suites().flatMap((file) => namesIn(file, readFileSync(file, 'utf8')).flatMap((name) => idsIn(name))),
  );

  test('or says that it cannot be reached by a test, and why', () => {
    const unproven = rules.filter((rule) => !named.has(rule.id) && !isBeyondReach(rule));
    expect(unproven.map(({ id, text }) => `${id}: ${text.slice(0, 150)}`)).toEqual([]);
  });

  test('each id stands for one rule, and no test names one that is not there', () => {
    const ids = rules.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(ids.length).toBeGreaterThan(200);
    expect([...named].filter((id) => !ids.includes(id))).toEqual([]);
  });

  describe('the check itself', () => {
    const specification = [
      '- **W1** One.\n  (Cannot be reached by a test: nobody can hold the door that long.)',
      '- ~~**W2** Two.~~',
      '- **W3** ~~Three.~~',
      '- **W4** It cannot be reached by a test.\n\n  | id | what |\n  |---|---|\n  | **D8** | eight |',
    ].join('\n');

    test('reads rules and rows of tables, and leaves out what is struck out', () => {
      expect(rulesOf(specification).map(({ id }) => id)).toEqual(['W1', 'W4', 'D8']);
    });

    test('asks for a reason', () => {
      expect(rulesOf(specification).map(isBeyondReach)).toEqual([true, false, false]);
    });

    test('reads names, tables of each and ranges, and no comments', () => {
      const source = `
        // W9
        describe('one (W1)', () => {
          test.each<[string]>([['two (W2)']])('%s', () => {});
          whereServer(\`three \${NEEDS} (W3 to W5)\`, async () => {});
          expect('W6').toBe('W6');
        });`;
      expect(namesIn('a.ts', source).flatMap(idsIn)).toEqual(['W1', 'W2', 'W3', 'W4', 'W5']);
    });
  });
});
