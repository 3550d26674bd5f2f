import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const LANGUAGES = ['en', 'pt-BR'] as const;
type Language = (typeof LANGUAGES)[number];

interface Glossary {
  readonly terms: readonly ({ readonly not: Partial<Record<Language, readonly string[]>> } & Record<
    Language,
    string
  >)[];
  readonly internals: readonly string[];
  readonly internalsAllowed: readonly string[];
}
const glossary: Glossary = JSON.parse(readFileSync(`${ROOT}console/src/i18n/glossary.json`, 'utf8'));

/** The dictionaries of a language, `pages/order/pt-BR.ts` and `checks.pt-BR.ts`: those of the console, and those of what the relay sends. */
function dictionaries(language: Language): string[] {
  const isOne = (name: string) => new RegExp(`(^|[/.])${language}\\.ts$`).test(name);
  return ['console/src/', 'src/'].flatMap((folder) =>
    readdirSync(ROOT + folder, { recursive: true, encoding: 'utf8' })
      .filter(isOne)
      .map((name) => folder + name),
  );
}

/** What a dictionary says: its texts, without names of properties and of imports. */
function textsOf(path: string): string[] {
  const source = ts.createSourceFile(path, readFileSync(ROOT + path, 'utf8'), ts.ScriptTarget.Latest, true);
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
    if (ts.isPropertyAssignment(node)) {
      visit(node.initializer);
      return;
    }
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      texts.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

const ALL = LANGUAGES.flatMap((language) =>
  dictionaries(language).flatMap((path) => textsOf(path).map((text) => ({ language, path, text }))),
);

/** The texts with one of these words, whole and in any case. */
function having(
  words: readonly string[],
  texts: readonly { readonly path: string; readonly text: string }[],
): string[] {
  if (words.length === 0) return [];
  const found = new RegExp(`(?<![\\p{L}\\p{N}_])(?:${words.join('|')})(?![\\p{L}\\p{N}_])`, 'iu');
  return texts.filter(({ text }) => found.test(text)).map(({ path, text }) => `${path}: ${text}`);
}

describe('the glossary of the console', () => {
  test('the dictionaries are read: both languages have as many files, and hundreds of texts', () => {
    const [english, portuguese] = LANGUAGES.map((language) => ALL.filter((each) => each.language === language));
    expect(dictionaries('en').length).toBe(dictionaries('pt-BR').length);
    expect(Math.min(english?.length ?? 0, portuguese?.length ?? 0)).toBeGreaterThan(800);
  });

  test.each(glossary.terms.map((term) => [`${term.en}, ${term['pt-BR']}`, term] as const))(
    '%s: no text uses a second word for it, and both languages use this one',
    (_, term) => {
      for (const language of LANGUAGES) {
        const texts = ALL.filter((each) => each.language === language);
        expect(having(term.not[language] ?? [], texts)).toEqual([]);
        // its stem: words are bent
        const stem = term[language].toLowerCase().slice(0, Math.max(4, term[language].length - 3));
        expect(texts.filter(({ text }) => text.toLowerCase().includes(stem)).length).toBeGreaterThan(0);
      }
    },
  );

  test('no text for the people of a restaurant has a word from inside the relay', () => {
    const forPeople = ALL.filter(({ path }) => !glossary.internalsAllowed.some((part) => path.includes(part)));
    expect(having(glossary.internals, forPeople)).toEqual([]);
  });
});
