import type { Random } from '../random.js';
import { headerText } from './credentials.js';
import { parameterText, type Route, type Source } from './operations.js';
import { hostileText } from './texts.js';

/** @returns the address; `isCertain` when it leads to the route, or to its refusal of a parameter */
export function targetOf(source: Source, { path, operation }: Route): { text: string; isCertain: boolean } {
  const { random } = source;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const schema = operation.parameters?.find((parameter) => parameter.name === name)?.schema ?? {};
    return encoded(parameterText(source, schema, name));
  });
  const text = filled + queryOf(source, operation.parameters ?? []);
  // an empty parameter or one of dots makes another path of it
  const isOther = filled
    .split('/')
    .slice(1)
    .some((part) => part === '' || part.length > 4_000);
  if (!random.chance(0.05)) return { text, isCertain: !isOther };
  return { text: headerText(crooked(text, random)).replaceAll(/\s/g, '%20') || '/', isCertain: false };
}

function queryOf(source: Source, parameters: NonNullable<Route['operation']['parameters']>): string {
  const { random } = source;
  const pairs = parameters
    .filter(({ in: place }) => place === 'query' && random.chance(0.5))
    .flatMap(({ name, schema = {} }) => {
      const pair = `${encoded(name)}=${encoded(parameterText(source, schema, name))}`;
      // twice makes a list of it
      return random.chance(0.05) ? [pair, pair] : [pair];
    });
  if (random.chance(0.06))
    pairs.push(
      random.pick([
        '__proto__[a]=1',
        '__proto__=1',
        'constructor=1',
        'limit[]=1',
        'limit[a]=1',
        'a=1',
        '=',
        '&&',
        '%',
        '%ff=%ff',
        `${'a&'.repeat(2_000)}`,
        encoded(hostileText(random)),
      ]),
    );
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

/** Addresses as they should not be written. */
function crooked(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  return random.pick([
    () => text.replaceAll('/', '//'),
    () => `${text.split('?')[0]}/`,
    () => text.toUpperCase(),
    () =>
      text.replaceAll(/[a-z]/g, (letter) => (random.chance(0.3) ? `%${letter.charCodeAt(0).toString(16)}` : letter)),
    () =>
      `${text.slice(0, at)}${random.pick(['%', '%00', '%2', '%zz', '%2f', '%5c', '%2e%2e', ';a=b', '\\', '/../', '/./', '#x', '?', '%c0%af', '%ff', '\xff', '|', '{', '%25%30%30'])}${text.slice(at)}`,
    () => `http://evil.example${text}`,
    () => `//evil.example${text}`,
    () => `/${'a'.repeat(2 ** random.below(13))}`,
    () => `/${'a/'.repeat(2 ** random.below(11))}`,
    () =>
      random.pick([
        '*',
        '/',
        '/docs',
        '/docs-json',
        '/docs/',
        '/docs/../main.js',
        '/docs/..%2f..%2fpackage.json',
        '/console/',
        '/console/../../package.json',
        '/.env',
        '/simulator/behaviour',
        '/favicon.ico',
        '/docs/swagger-ui.css.map',
      ]),
    () => text.slice(0, at) || '/',
  ])();
}

/** Percent-encoded; invalid Unicode becomes U+FFFD, as in every client. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
