#!/usr/bin/env node
// Stands in for Prisma's schema-engine binary (PRISMA_SCHEMA_ENGINE_BINARY): JSON-RPC over stdio.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const argv = process.argv.slice(2);
if (argv.includes('--version')) {
  console.log('schema-engine-cli wasm');
  process.exit(0);
}
if (argv.includes('cli')) process.exit(0); // can-connect-to-database, create-database
const { createSchemaEngine } = await import('./engine.mjs');
const opt = (n) => argv.flatMap((a, i) => (a === n ? [argv[i + 1]] : []));
const connectionString = opt('--datasource').map((d) => JSON.parse(d).url)[0];
const datamodels = opt('--datamodels').map((f) => [f, readFileSync(f, 'utf8')]);
const { engine } = await createSchemaEngine({
  connectionString,
  datamodels: datamodels.length ? datamodels : undefined,
});
const send = (o) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...o })}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  if (!line.trim()) continue;
  const m = JSON.parse(line);
  if (!m.method) continue;
  try {
    const r = await engine[m.method](m.params);
    if (m.method === 'diff' && r?.stdout != null) send({ id: 'p', method: 'print', params: { content: r.stdout } });
    send({ id: m.id, result: r ?? {} });
  } catch (e) {
    send({
      id: m.id,
      error: {
        code: 4466,
        message: 'An error happened. Check the data field for details.',
        data: { is_panic: false, message: String(e?.message ?? e), meta: null, error_code: e?.code ?? null },
      },
    });
  }
}
process.exit(0);
