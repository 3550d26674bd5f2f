// Loaded into the relay before its program: retention, which runs every ten minutes, runs every twenty seconds, so that a run of
// minutes has many rounds of it.
const RETENTION_INTERVAL_MS = 600_000;
const SHORTER_MS = 20_000;

const every = globalThis.setInterval;
const shorter = (run, ms, ...rest) => every(run, ms === RETENTION_INTERVAL_MS ? SHORTER_MS : ms, ...rest);
globalThis.setInterval = Object.assign(shorter, every);
