import { readFileSync } from 'node:fs';
import type { PosSimulator } from '../../../tools/simulator/simulator.js';
import { sale } from '../../support/client.js';
import type { TestRelay } from '../../support/relay.js';
import { Scenario } from '../../support/scenario.js';

interface Alert {
  alert: string;
  expr: string;
  for: string;
  labels: { severity: string };
  annotations: { summary: string; description: string };
}

interface Panel {
  id: number;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets: { expr: string }[];
}

const read = (file: string) =>
  JSON.parse(readFileSync(new URL(`../../../docs/monitoring/${file}`, import.meta.url), 'utf8'));

// YAML that is JSON as well, so that no package is needed to read it
const { groups } = read('alerts.yml') as { groups: { name: string; rules: Alert[] }[] };
const ALERTS = groups.flatMap(({ rules }) => rules);
const { panels } = read('grafana-dashboard.json') as { panels: Panel[] };
const EXPRESSIONS = [...ALERTS, ...panels.flatMap(({ targets }) => targets)].map(({ expr }) => expr);

/** Prometheus adds this series itself. */
const ITS_OWN = 'up';
/** A metric and its labels in braces. */
const SELECTOR = /\b(relay_\w+|process_\w+|nodejs_\w+|up)\b(?:\{([^}]*)\})?/g;
const EQUAL = /(\w+)="([^"$]*)"/g;
/** Labels that Prometheus adds. */
const ADDED = new Set(['job', 'instance']);

const SELECTORS = [
  ...new Set(EXPRESSIONS.flatMap((expr) => [...expr.matchAll(SELECTOR)].map(([selector]) => selector))),
].filter((selector) => !selector.startsWith(ITS_OWN));

describe('docs/monitoring', () => {
  const scenario = Scenario.ofSuite();
  let pos: PosSimulator;
  let relay: TestRelay;
  /** the metrics of a relay after a refused and a delivered attempt */
  let text: string;

  beforeAll(async () => {
    ({ pos, relay } = scenario);
    await relay.createRestaurant();
    pos.behave({ mode: 'status', status: 401, paths: ['/auth'] });
    const jobId = await relay.accept(sale());
    await relay.tick();
    pos.behave({ mode: 'ok' });
    await scenario.jobs.makeDue(jobId);
    await relay.tick();
    const answer = await relay.http.get('/admin/metrics/prometheus').auth(await relay.login(), { type: 'bearer' });
    text = answer.text;
  });

  test.each(ALERTS)('alert $alert has a duration, a severity, a summary and a description', (alert) => {
    expect(alert.alert).toMatch(/^Relay[A-Z]\w+$/);
    expect(alert.for).toMatch(/^\d+[smh]$/);
    expect(['critical', 'warning']).toContain(alert.labels.severity);
    expect(alert.annotations.summary).toMatch(/\S/);
    expect(alert.annotations.description.length).toBeGreaterThan(60);
    expect([...alert.expr.matchAll(SELECTOR)].length).toBeGreaterThan(0);
  });

  test('every alert has a unique name and is in the README', () => {
    const names = ALERTS.map(({ alert }) => alert);
    expect(new Set(names).size).toBe(names.length);
    const readme = readFileSync(new URL('../../../docs/monitoring/README.md', import.meta.url), 'utf8');
    for (const name of names) expect(readme).toContain(`\`${name}\``);
  });

  test('every file that an alert names exists', () => {
    const named = ALERTS.flatMap(({ annotations }) => annotations.description.match(/[\w-]+\.sql/g) ?? []);
    expect(named.length).toBeGreaterThan(0);
    for (const file of new Set(named))
      expect(() => readFileSync(new URL(`../../../prisma/sql/${file}`, import.meta.url))).not.toThrow();
  });

  test.each(SELECTORS)('%s is exported by a relay', (selector) => {
    const [[, metric = '', braces = ''] = []] = selector.matchAll(SELECTOR);
    const labels = [...braces.matchAll(EQUAL)].filter(([, name = '']) => !ADDED.has(name)).map(([label]) => label);
    const series = text.split('\n').filter((line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `));
    expect(series.filter((line) => labels.every((label) => line.includes(label)))).not.toEqual([]);
  });

  test('counters without labels start at 0', () => {
    for (const name of ['relay_parked_total', 'relay_expired_leases_total', 'relay_lost_locks_total'])
      expect(text).toContain(`\n${name} 0\n`);
  });

  test('every panel has a title, a query and a place that no other panel takes', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const taken = new Set<string>();
    for (const { title, gridPos, targets } of panels) {
      expect(title).toMatch(/\S/);
      expect(targets.length).toBeGreaterThan(0);
      const { x, y, w, h } = gridPos;
      expect(x + w).toBeLessThanOrEqual(24);
      for (let column = x; column < x + w; column++)
        for (let row = y; row < y + h; row++) {
          expect(taken).not.toContain(`${column},${row}`);
          taken.add(`${column},${row}`);
        }
    }
  });
});
