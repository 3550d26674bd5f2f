import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Licences of packages without a `license` field, read from their LICENSE or readme. */
const LICENCE_STATED_ELSEWHERE = { 'passport-strategy@1.0.0': 'MIT', 'pause@0.0.1': 'MIT' };

/**
 * The packages that `npm ci --omit=dev` installs, read from package-lock.json for all platforms. (`npm sbom` omits packages that
 * development tools need too.)
 * @returns {{path: string, name: string, version: string, licence?: string, integrity?: string, dependencies: string[]}[]}
 *   by name; `path` is that of the lock file, `dependencies` are paths
 */
export function productionPackages(root = fileURLToPath(new URL('..', import.meta.url))) {
  const { packages } = JSON.parse(readFileSync(`${root}/package-lock.json`, 'utf8'));
  return (
    Object.entries(packages)
      // not the root, the workspace and the link to it
      .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
      .map(([path, entry]) => {
        // the entry of an alias (`npm:other@1`) has the real name
        const name = entry.name ?? path.split('node_modules/').at(-1);
        const licence = entry.license ?? LICENCE_STATED_ELSEWHERE[`${name}@${entry.version}`];
        const dependencies = dependenciesOf(path, entry, packages);
        return { path, name, version: entry.version, licence, integrity: entry.integrity, dependencies };
      })
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.path < b.path ? -1 : 1))
  );
}

/** @returns the paths of a package's dependencies, found as Node does: in its folder, then in each folder above */
export function dependenciesOf(path, { dependencies = {}, optionalDependencies = {} }, packages) {
  return Object.keys({ ...dependencies, ...optionalDependencies }).flatMap((name) => {
    for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
      const candidate = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
      if (packages[candidate]) return [candidate];
      if (folder === '') return [];
    }
  });
}
