import { fileURLToPath } from 'node:url';
import { defineConfig } from 'prisma/config';

// Prisma's own schema engine as WebAssembly (a package), so that no command downloads a binary.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= fileURLToPath(
  new URL('./prisma/engine/schema-engine.mjs', import.meta.url),
);

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  // without DATABASE_URL the engine works on an in-memory database, and this address is not used
  datasource: { url: process.env.DATABASE_URL ?? 'postgresql://localhost/none' },
});
