// The program `node dist/main.js`. It has no static imports: an older Node fails on those with an error of its loader.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`The relay cannot start: it needs Node 20.19 or later, this is ${major}.${minor}`);
  process.exit(1);
}
await import('./relay.js');
