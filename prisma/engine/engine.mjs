// Prisma's schema engine without a download: its WebAssembly build on a patched @prisma/adapter-pg.
// A development and CI tool; the service applies its migrations itself (src/platform/database/migrations/migrations.ts).
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import * as bg from '@prisma/schema-engine-wasm/schema_engine_bg';

const require = createRequire(import.meta.url);
// the glue calls this on a Rust panic; without it a panic kills the process with an unrelated TypeError
globalThis.PRISMA_WASM_PANIC_REGISTRY ??= {
  message: '',
  set_message(m) {
    this.message = m;
    console.error(`[schema-engine] panic: ${m}`);
  },
};
let loaded = false;
function loadWasm() {
  if (loaded) return;
  const file = require.resolve('@prisma/schema-engine-wasm/schema_engine_bg').replace(/_bg\.js$/, '_bg.wasm');
  // the engine never clears the 10 s timer of its advisory lock: do not let it keep the process alive
  const imports = { ...bg };
  for (const [k, f] of Object.entries(bg)) {
    if (/^__wbg_setTimeout_/.test(k)) {
      imports[k] = (...args) => {
        const real = globalThis.setTimeout;
        globalThis.setTimeout = (...a) => real(...a).unref();
        try {
          return f(...args);
        } finally {
          globalThis.setTimeout = real;
        }
      };
    }
  }
  const instance = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file)), {
    './schema_engine_bg.js': imports,
  });
  bg.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  loaded = true;
}

/** adapter-pg 7.10 was not written for the schema engine: three patches. */
function patch(adapter) {
  // 1. catalog queries return "char" (oid 18), which adapter-pg refuses -> ColumnTypeEnum.Character
  const io = adapter.performIO.bind(adapter);
  const queryRaw = adapter.queryRaw;
  adapter.queryRaw = async (q) => {
    const cols = [];
    const self = Object.create(adapter, {
      performIO: {
        value: async (x) => {
          const r = await io(x);
          r.fields.forEach((f, i) => {
            if (f.dataTypeID === 18) {
              f.dataTypeID = 25;
              cols.push(i);
            }
          });
          return r;
        },
      },
    });
    const out = await queryRaw.call(self, q);
    for (const i of cols) {
      out.columnTypes[i] = ColumnTypeEnum.Character;
      for (const row of out.rows) if (row[i] === '') row[i] = '\0';
    }
    return out;
  };
  // 2. executeScript() splits on every ';' and uses the pool (no transaction): send the script whole,
  //    as one simple query = one implicit transaction, like the native engine does
  adapter.executeScript = async (script) => {
    try {
      await adapter.underlyingDriver().query(script);
    } catch (e) {
      adapter.onError(e);
    }
  };
  return adapter;
}

/** 3. connectToShadowDb() ignores the shadow name when a connectionString is used: use an in-memory PGlite. */
async function pgliteInMemory() {
  const { PGlite } = await import('@electric-sql/pglite');
  await import('../../tools/typescript.mjs');
  const { servePGlite } = await import('../../src/platform/database/pglite/server.ts');
  const db = await PGlite.create();
  const server = await servePGlite(Promise.resolve(db), { host: '127.0.0.1', port: 0 });
  const { port } = server.server.address();
  const adapter = patch(
    await new PrismaPg({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres', max: 1 }).connect(),
  );
  const dispose = adapter.dispose.bind(adapter);
  adapter.dispose = async () => {
    await dispose();
    await server.stop();
    await db.close();
  };
  return adapter;
}

export async function createSchemaEngine({ connectionString, datamodels }) {
  loadWasm();
  const open = new Set();
  const factory = {
    provider: 'postgres',
    adapterName: '@prisma/adapter-pg',
    connect: async () => {
      // no server named: what compares the schema with the migrations needs none
      const a = process.env.DATABASE_URL
        ? patch(await new PrismaPg({ connectionString, max: 1 }).connect())
        : await pgliteInMemory();
      open.add(a);
      return a;
    },
    connectToShadowDb: async () => pgliteInMemory(),
  };
  const engine = await bg.SchemaEngine.new({ datamodels }, () => {}, bindMigrationAwareSqlAdapterFactory(factory));
  return {
    engine,
    close: async () => {
      engine.free();
      await Promise.all([...open].map((a) => a.dispose()));
    },
  };
}
