// How `tools/build.mjs` makes dist/: the programs of src/, as the compiler has written them, with their packages (decisions/048).
import { readFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SRC = join(ROOT, 'src/');
/** `outDir` of tsconfig.build.json. */
const COMPILED = join(ROOT, 'node_modules/.cache/relay/');

/** Loaded from node_modules/ at run time. */
const EXTERNAL = [
  // native
  'bcrypt',
  // finds its WebAssembly and data beside itself
  '@electric-sql/pglite',
  // optional peers that are not installed; Nest, Fastify and pg look for them
  /^@nestjs\/(microservices|platform-express|websockets)(\/|$)/,
  /^@fastify\/(multipart|view)$/,
  'pg-native',
];

/** Gives each file of src/ the JavaScript and the source map of the compiler, so that comments and source maps name src/. */
const compiled = {
  name: 'compiled',
  resolveId: (specifier, importer) =>
    importer?.startsWith(SRC) && specifier.startsWith('.')
      ? resolve(importer, '..', specifier).replace(/\.js$/, '.ts')
      : undefined,
  load(id) {
    if (!id.startsWith(SRC)) return;
    const file = join(COMPILED, relative(SRC, id).replace(/\.ts$/, '.js'));
    const map = JSON.parse(readFileSync(`${file}.map`, 'utf8'));
    return { code: readFileSync(file, 'utf8'), map: { ...map, sources: [id] }, moduleType: 'js' };
  },
};

/**
 * Prisma's query compiler is WebAssembly as base64 inside a script, which would stay in memory as source, as text and as code. Its bytes go into
 * a file beside the chunks. The generated client calls `Buffer.from(wasm, 'base64')`, which takes a buffer as it is.
 */
const compilerAsFile = {
  name: 'compiler-as-file',
  async load(id) {
    if (!/\.wasm-base64\.mjs$/.test(id)) return;
    const { wasm } = await import(pathToFileURL(id).href);
    const fileName = basename(id, '-base64.mjs');
    this.emitFile({ type: 'asset', fileName: `chunks/${fileName}`, source: Buffer.from(wasm, 'base64') });
    return {
      code: `import { readFileSync } from 'node:fs'; export const wasm = readFileSync(new URL('./${fileName}', import.meta.url));`,
      moduleType: 'js',
    };
  },
};

export default {
  cwd: ROOT,
  input: {
    main: join(SRC, 'main.ts'),
    'doctor/main': join(SRC, 'capabilities/doctor/main.ts'),
    // begin a thread: beside the chunk that starts it, as in src/
    'chunks/file-thread': join(SRC, 'capabilities/terminal-files/reading/file-thread.ts'),
    'chunks/catalogue-thread': join(SRC, 'capabilities/codes/catalogue-thread.ts'),
  },
  platform: 'node',
  external: EXTERNAL,
  // no chunk imports a program: importing it would start it
  preserveEntrySignatures: 'strict',
  plugins: [compiled, compilerAsFile],
  // a warning is an error: an import that was not found would fail at run time
  onLog(level, log, handle) {
    handle(level === 'warn' ? 'error' : level, log);
  },
  output: {
    dir: join(ROOT, 'dist'),
    cleanDir: true,
    format: 'esm',
    chunkFileNames: 'chunks/[name].js',
    // a relay that runs from a dist/ that is built again loads its last chunks from there: they find what they import by its name
    minifyInternalExports: false,
    // names of classes are in the OpenAPI document, in the log and in Nest's errors
    keepNames: true,
    sourcemap: true,
    // files and lines are enough for a stack trace; the sources would double the size of dist/
    sourcemapExcludeSources: true,
  },
};
