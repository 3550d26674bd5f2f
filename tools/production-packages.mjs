import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Packages that name no licence where npm looks for it, read by a person: what their LICENSE or readme says. */
const LICENCE_STATED_ELSEWHERE = { 'passport-strategy@1.0.0': 'MIT', 'pause@0.0.1': 'MIT' };

/**
 * What `npm ci --omit=dev` installs, from package-lock.json alone, on every platform: no network, no node_modules. (`npm sbom`
 * leaves out what tools of development need too.)
 * @returns {{path: string, name: string, version: string, licence?: string, integrity?: string, dependencies: string[]}[]}
 *   by name; `path` is that of the lock file, `dependencies` are paths
 */
export function productionPackages(root = fileURLToPath(new URL('..', import.meta.url))) {
  const { packages } = JSON.parse(readFileSync(`${root}/package-lock.json`, 'utf8'));
  return (
    Object.entries(packages)
      // the root, the workspace and the link to it are ours
      .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
      .map(([path, entry]) => {
        // an alias (`npm:other@1`) has its true name in the entry
        const name = entry.name ?? path.split('node_modules/').at(-1);
        const licence = entry.license ?? LICENCE_STATED_ELSEWHERE[`${name}@${entry.version}`];
        const dependencies = dependenciesOf(path, entry, packages);
        return { path, name, version: entry.version, licence, integrity: entry.integrity, dependencies };
      })
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.path < b.path ? -1 : 1))
  );
}

/** @returns paths of what a package requires, found as Node finds them: beside it, then in each folder above */
export function dependenciesOf(path, { dependencies = {}, optionalDependencies = {} }, packages) {
  return Object.keys({ ...dependencies, ...optionalDependencies }).flatMap((name) => {
    for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
      const candidate = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
      if (packages[candidate]) return [candidate];
      if (folder === '') return [];
    }
  });
}
