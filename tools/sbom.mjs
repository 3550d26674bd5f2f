// Prints the software bill of materials of the production packages, CycloneDX 1.5 in JSON, from package-lock.json. The output
// is deterministic, so that two releases can be compared.
//
//   npm run --silent sbom > sbom.json
import { readFileSync } from 'node:fs';
import { dependenciesOf, productionPackages } from './production-packages.mjs';

const read = (file) => JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'));
const { name, version, description, license } = read('package.json');
const { packages: locked } = read('package-lock.json');
const packages = productionPackages();

const purl = (packageName, packageVersion) => `pkg:npm/${packageName.replace(/^@/, '%40')}@${packageVersion}`;
/** A package may be in several folders: each is a component. */
const refOf = ({ name, version, path }) => `${purl(name, version)}#${path}`;
const refs = new Map(packages.map((each) => [each.path, refOf(each)]));
const root = `${purl(name, version)}`;
const licencesOf = (licence) => (licence ? [{ license: { id: licence } }] : []);
const dependsOn = (paths) => paths.map((path) => refs.get(path)).filter(Boolean);

const sbom = {
  $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: {
    component: {
      ...{ type: 'application', 'bom-ref': root, name, version, description },
      ...{ purl: root, licenses: licencesOf(license) },
    },
  },
  components: packages.map((each) => ({
    ...{ type: 'library', 'bom-ref': refOf(each), name: each.name, version: each.version },
    ...{ purl: purl(each.name, each.version), licenses: licencesOf(each.licence), hashes: hashesOf(each.integrity) },
  })),
  dependencies: [
    { ref: root, dependsOn: dependsOn(dependenciesOf('', locked[''], locked)) },
    ...packages.map((each) => ({ ref: refOf(each), dependsOn: dependsOn(each.dependencies) })),
  ],
};
console.log(JSON.stringify(sbom, null, 2));

/** `sha512-<base64>` of the lock file, as CycloneDX writes it. */
function hashesOf(integrity = '') {
  return integrity
    .split(' ')
    .map((each) => /^sha(\d+)-(.+)$/.exec(each))
    .filter(Boolean)
    .map(([, size, base64]) => ({ alg: `SHA-${size}`, content: Buffer.from(base64, 'base64').toString('hex') }));
}
