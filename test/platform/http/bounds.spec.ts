import { Scenario } from '../../support/scenario.js';

type Node = { readonly [key: string]: unknown };

/** Texts written by senders or by the POS; each is limited by its column or by its report. */
const FOREIGN_TEXTS = ['transactionKey', 'eventKey', 'sourceKey', 'transactionNumber', 'tenderType', 'lastError'];

/** A file is written in pages: the pages have bounds (L108). */
const IN_A_FILE = /schemas\.(ClosingsExportView\.properties\.closings|ExportedClosingView\.properties\.(lines|sales))$/;

/** The bounds in the document hold in the answers: every answer of every suite is validated against it (answers.ts). */
describe('R30: every list and report has a bound on its answer', () => {
  let document: Node;

  beforeAll(async () => {
    const scenario = await Scenario.open();
    document = (await scenario.api.get('/docs-json').expect(200)).body;
    await scenario.close();
  });

  /** The paths of all nodes of a document for which `fits` holds. */
  function places(node: unknown, fits: (node: Node, name: string) => boolean, path: readonly string[] = []): string[] {
    if (typeof node !== 'object' || node === null) return [];
    const here = !Array.isArray(node) && fits(node as Node, path.at(-1) ?? '') ? [path.join('.')] : [];
    const inner = Object.entries(node).filter(([key]) => key !== 'example' && key !== 'examples');
    return [...here, ...inner.flatMap(([key, value]) => places(value, fits, [...path, key]))];
  }
  const isOf = ({ type }: Node, name: string) => type === name || (Array.isArray(type) && type.includes(name));
  const unboundedLists = (of: unknown) =>
    places(of, (node) => isOf(node, 'array') && node.maxItems === undefined).filter((place) => !IN_A_FILE.test(place));
  const answers = () => {
    const { schemas } = document.components as { schemas: Record<string, Node> };
    return Object.fromEntries(Object.entries(schemas).filter(([name]) => name.endsWith('View')));
  };
  const unboundedTexts = (of: unknown) =>
    places(of, (node, name) => FOREIGN_TEXTS.includes(name) && isOf(node, 'string') && node.maxLength === undefined);

  test('every array has maxItems', () => {
    expect(places(document, (node) => isOf(node, 'array')).length).toBeGreaterThan(25);
    expect(unboundedLists(document)).toEqual([]);
  });

  test('every text written by a sender or a POS has maxLength', () => {
    expect(places(answers(), (_, name) => FOREIGN_TEXTS.includes(name)).length).toBeGreaterThan(8);
    expect(unboundedTexts(answers())).toEqual([]);
  });

  test('a list or text without a bound is found', () => {
    const properties = { rows: { type: ['array', 'null'], items: {} }, lastError: { type: 'string' } };
    const views = { NewView: { type: 'object', properties } };
    expect(unboundedLists(views)).toEqual(['NewView.properties.rows']);
    expect(unboundedTexts(views)).toEqual(['NewView.properties.lastError']);
  });
});
