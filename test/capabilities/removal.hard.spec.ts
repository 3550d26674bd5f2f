import { readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve('.');
const FOLDER = join(ROOT, 'src/capabilities');
const MODULE = join(ROOT, 'src/app.module.ts');
/** Capabilities that import another one go with it. */
const GO_WITH: Readonly<Record<string, readonly string[]>> = { channels: ['alerts', 'days', 'doctor'] };

const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.build.json'), ts.sys.readFile);
const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);

/** The errors of the compiler for src/ without these capabilities: their folders, and their lines in app.module.ts. */
function errorsWithout(names: readonly string[], before: ts.Program | undefined): [string[], ts.Program] {
  const isGone = (path: string) => names.some((name) => path.startsWith(`${join(FOLDER, name)}/`));
  const read = (path: string): string | undefined => {
    if (isGone(path)) return undefined;
    const text = ts.sys.readFile(path);
    return path === MODULE ? text?.replaceAll(lines(names), '') : text;
  };
  const host: ts.CompilerHost = {
    ...ts.createCompilerHost(options),
    fileExists: (path) => !isGone(path) && ts.sys.fileExists(path),
    readFile: read,
    getSourceFile: (path, settings) => {
      const known = path === MODULE || isGone(path) ? undefined : before?.getSourceFile(path);
      const text = known ? undefined : read(path);
      return known ?? (text === undefined ? undefined : ts.createSourceFile(path, text, settings));
    },
  };
  const program = ts.createProgram({ rootNames: fileNames.filter((path) => !isGone(path)), options, host });
  const errors = ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
    const text = ts.flattenDiagnosticMessageText(messageText, ' ');
    return `${file?.fileName.slice(ROOT.length + 1)}: ${text}`;
  });
  return [errors, program];
}

/** The entry of each of these capabilities in app.module.ts. */
const lines = (names: readonly string[]) =>
  new RegExp(`^  '?(?:${names.join('|')})'?: async \\(\\) =>[^;]*?Module,\\n`, 'gm');

describe('a capability goes away with its folder and its line in app.module.ts', () => {
  let whole: ts.Program;

  beforeAll(() => {
    const [errors, program] = errorsWithout([], undefined);
    expect(errors).toEqual([]);
    whole = program;
  });

  test.each(readdirSync(FOLDER))('without %s the rest compiles', (name) => {
    const names = [name, ...(GO_WITH[name] ?? [])];
    expect(ts.sys.readFile(MODULE)?.match(lines(names))).toHaveLength(names.length);
    const [errors, program] = errorsWithout(names, whole);
    expect(errors).toEqual([]);
    expect(program.getSourceFiles().filter((file) => dirname(file.fileName).startsWith(join(FOLDER, name)))).toEqual(
      [],
    );
  });

  test('what still uses a removed capability is found', () => {
    const [errors] = errorsWithout(['channels'], whole);
    expect(errors).toContainEqual(
      expect.stringMatching(/^src\/capabilities\/alerts\/.*Cannot find module '\.\.\/channels\//),
    );
  });
});
