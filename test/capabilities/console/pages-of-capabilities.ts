import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** The routes of the console. */
export const ROUTES = 'console/src/routes.tsx';

/** A page of the console that is there only with a capability. */
export interface PageOfCapability {
  readonly capability: string;
  /** such as `/r/:restaurantId/days/:day` */
  readonly pattern: string;
  /** the folder of `console/src/pages/` that has it */
  readonly folder: string;
}

/** The pages of capabilities, as routes.tsx names them: `pageAt(pattern, () => import('./pages/…'), capability)`. */
export function pagesOfCapabilities(): PageOfCapability[] {
  const pages: PageOfCapability[] = [];
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    if (!ts.isCallExpression(node) || node.expression.getText() !== 'pageAt') return;
    const [pattern, load, capability] = node.arguments;
    const [, folder] = /import\('\.\/pages\/([^/]+)\//.exec(load?.getText() ?? '') ?? [];
    if (!pattern || !ts.isStringLiteral(pattern) || folder === undefined)
      throw new Error(`${ROUTES}: a page that cannot be read: ${node.getText()}`);
    if (!capability) return;
    if (!ts.isStringLiteral(capability)) throw new Error(`${ROUTES}: no name of a capability: ${node.getText()}`);
    pages.push({ capability: capability.text, pattern: pattern.text, folder });
  };
  visit(ts.createSourceFile(ROUTES, readFileSync(ROUTES, 'utf8'), ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX));
  return pages;
}
