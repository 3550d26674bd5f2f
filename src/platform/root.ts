import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The project's folder, absolute: the folder of package.json above this file. Files beside the code are found from it. In src/ and in the
 * chunks of dist/ (decisions/048) this file is at different depths.
 */
export const ROOT = folderOf('package.json', import.meta.dirname);

function folderOf(file: string, folder: string): string {
  if (existsSync(join(folder, file))) return folder;
  const above = dirname(folder);
  if (above === folder) throw new Error(`${file} is not in a folder above ${import.meta.dirname}`);
  return folderOf(file, above);
}
