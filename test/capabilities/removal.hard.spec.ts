import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';
import { ROUTES as CONSOLE_ROUTES, pagesOfCapabilities } from './console/pages-of-capabilities.js';

const ROOT = resolve('.');
const FOLDER = join(ROOT, 'src/capabilities');
const MODULE = join(ROOT, 'src/app.module.ts');
const NAMES = readdirSync(FOLDER);

/** The capabilities that import this one: they go with it. */
function importersOf(name: string): string[] {
  return NAMES.filter((other) => {
    if (other === name) return false;
    const files = readdirSync(join(FOLDER, other), { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    );
    return files.some((file) =>
      new RegExp(`'(?:\\.\\./)+${name}/`).test(readFileSync(join(FOLDER, other, file), 'utf8')),
    );
  });
}

const ROUTES = join(ROOT, CONSOLE_ROUTES);
/** The pages of the console that are there only with a capability. */
const PAGES = pagesOfCapabilities();
const WITH_PAGES = [...new Set(PAGES.map(({ capability }) => capability))];
/** The folders of the pages of a capability. */
const foldersOf = (name: string) => [
  ...new Set(PAGES.filter(({ capability }) => capability === name).map(({ folder }) => folder)),
];

/** A project of the compiler, from which folders and the lines that name them are taken away. */
class Project {
  private readonly options: ts.CompilerOptions;
  private readonly fileNames: string[];
  private whole: ts.Program | undefined;

  /** @param changed the file that {@link errorsWithout} edits */
  constructor(
    file: string,
    private readonly changed: string,
  ) {
    const { config } = ts.readConfigFile(file, ts.sys.readFile);
    const parsed = ts.parseJsonConfigFileContent(config, ts.sys, dirname(file));
    this.options = { ...parsed.options, noEmit: true };
    this.fileNames = parsed.fileNames;
  }

  /** The errors of the compiler without these folders, with the edit of the changed file. */
  errorsWithout(folders: readonly string[], edit: (text: string) => string = (text) => text): string[] {
    const isGone = (path: string) => folders.some((folder) => path.startsWith(`${folder}/`));
    const read = (path: string): string | undefined => {
      if (isGone(path)) return undefined;
      const text = ts.sys.readFile(path);
      return path === this.changed && text !== undefined ? edit(text) : text;
    };
    const host: ts.CompilerHost = {
      ...ts.createCompilerHost(this.options),
      fileExists: (path) => !isGone(path) && ts.sys.fileExists(path),
      readFile: read,
      getSourceFile: (path, settings) => {
        const known = path === this.changed || isGone(path) ? undefined : this.whole?.getSourceFile(path);
        const text = known ? undefined : read(path);
        return known ?? (text === undefined ? undefined : ts.createSourceFile(path, text, settings));
      },
    };
    const rootNames = this.fileNames.filter((path) => !isGone(path));
    const program = ts.createProgram({ rootNames, options: this.options, host });
    this.whole ??= program;
    expect(program.getSourceFiles().filter(({ fileName }) => isGone(fileName))).toEqual([]);
    return ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
      const text = ts.flattenDiagnosticMessageText(messageText, ' ');
      return `${file?.fileName.slice(ROOT.length + 1)}: ${text}`;
    });
  }
}

/** The entry of each of these capabilities in app.module.ts. */
const lines = (names: readonly string[]) =>
  new RegExp(`^  '?(?:${names.join('|')})'?: async \\(\\) =>[^;]*?Module,\\n`, 'gm');
const withoutLines = (names: readonly string[]) => (text: string) => text.replaceAll(lines(names), '');

/** Takes the entries of the pages in these folders out of the lists of routes.tsx. */
const withoutEntries = (folders: readonly string[]) => (text: string) => {
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    const isEntry =
      ts.isArrayLiteralExpression(node.parent ?? node) &&
      folders.some((folder) => node.getText().includes(`'./pages/${folder}/`));
    if (isEntry) found.push(node);
    else ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(ROUTES, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX));
  expect(found).not.toEqual([]);
  return found.reduceRight((rest, node) => rest.slice(0, node.getStart()) + rest.slice(node.end + 1), text);
};

describe('a capability goes away with its folder and its line in app.module.ts', () => {
  const relay = new Project(join(ROOT, 'tsconfig.build.json'), MODULE);
  beforeAll(() => expect(relay.errorsWithout([])).toEqual([]));

  test.each(NAMES)('without %s the rest compiles', (name) => {
    const names = [name, ...importersOf(name)];
    expect(ts.sys.readFile(MODULE)?.match(lines(names))).toHaveLength(names.length);
    const folders = names.map((each) => join(FOLDER, each));
    expect(relay.errorsWithout(folders, withoutLines(names))).toEqual([]);
  });

  test('what still uses a removed capability is found', () => {
    expect(relay.errorsWithout([join(FOLDER, 'channels')], withoutLines(['channels']))).toContainEqual(
      expect.stringMatching(/^src\/capabilities\/alerts\/.*Cannot find module '\.\.\/channels\//),
    );
  });
});

describe('and with its pages of the console, and their lines in routes.tsx', () => {
  const console = new Project(join(ROOT, 'console/tsconfig.json'), ROUTES);
  beforeAll(() => expect(console.errorsWithout([])).toEqual([]));

  test('which routes.tsx names', () => expect(WITH_PAGES.length).toBeGreaterThan(3));

  test.each(WITH_PAGES)('without %s the rest compiles', (name) => {
    const pages = foldersOf(name);
    const folders = [join(FOLDER, name), ...pages.map((folder) => join(ROOT, 'console/src/pages', folder))];
    expect(console.errorsWithout(folders, withoutEntries(pages))).toEqual([]);
  });
});
