import { lookup } from 'node:dns/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Config, loadConfig } from '../../../src/platform/config/config.js';
import { HostResolver, type ResolverOptions } from '../../../src/platform/outbound/host-resolver.js';
import { OutboundTransport } from '../../../src/platform/outbound/outbound-transport.js';
import { OrderTransport } from '../../../src/pos/order-transport.js';
import { ENVIRONMENT, NO_POS } from '../../support/environment.js';
import { until } from '../../support/until.js';
import { DnsServer } from './dns-server.js';

const configOf = (allow: string): Config =>
  loadConfig({
    ...ENVIRONMENT,
    ...{ DATABASE_URL: 'postgresql://relay@db.example/relay', POS_BASE_URL: NO_POS, OUTBOUND_ALLOW: allow },
  });
const BUSY = { failure: 'UNANSWERED', reason: 'the name cannot be looked up now' };

describe('look-ups of names that people typed', () => {
  let dns: DnsServer;
  let server: Server;
  let port: number;
  let ended: AbortController;

  beforeEach(async () => {
    dns = await DnsServer.open();
    ended = new AbortController();
    server = createServer((request, response) => request.resume().on('end', () => response.end('{}')));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(() => {
    // nothing outlives its test
    ended.abort();
    dns.close();
    server.closeAllConnections();
    server.close();
  });

  const resolverWith = (options: Partial<ResolverOptions> = {}) =>
    new HostResolver({ servers: dns.servers, ...options });
  const ask = (resolver: HostResolver, host: string, signal = ended.signal) =>
    // a signal of its own, as each call has
    resolver.resolve(host, { signal: AbortSignal.any([signal]), bySystem: false });
  const post = (transport: OutboundTransport, url: string, timeoutMs?: number) =>
    transport.post(url, { headers: {}, body: '{}' }, { timeoutMs });
  const namesAsked = () => new Set(dns.asked.map(({ name }) => name));

  test('a name leads to the addresses that DNS has, IPv4 first (G48)', async () => {
    dns.answer = ({ type }) => (type === 'A' ? ['203.0.114.1', '203.0.114.2'] : ['2606:4700::1']);
    const found = [
      { address: '203.0.114.1', family: 4 },
      { address: '203.0.114.2', family: 4 },
      { address: '2606:4700::1', family: 6 },
    ];
    expect(await ask(resolverWith(), 'hooks.example')).toEqual(found);
    expect(await ask(resolverWith(), 'hooks.example.')).toEqual(found);
    expect(namesAsked()).toEqual(new Set(['hooks.example']));
  });

  test.each<[string, (type?: string) => readonly string[] | { error: number } | 'silent']>([
    ['has none of the other kind', (type) => (type === 'A' ? ['203.0.114.1'] : [])],
    ['does not know the name for the other kind', (type) => (type === 'A' ? ['203.0.114.1'] : { error: 3 })],
    ['does not answer for the other kind', (type) => (type === 'A' ? ['203.0.114.1'] : 'silent')],
  ])('addresses of one kind count when the server %s (G48)', async (_, answer) => {
    dns.answer = ({ type }) => answer(type);
    const found = await ask(resolverWith({ lookUpMs: 200 }), 'hooks.example');
    expect(found).toEqual([{ address: '203.0.114.1', family: 4 }]);
  });

  test.each<[string, string, DnsServer['answer']]>([
    ['ENOTFOUND', 'a name that does not exist', () => ({ error: 3 })],
    ['ENOTFOUND', 'a name without addresses', () => []],
    ['EAI_AGAIN', 'a name server that fails', () => ({ error: 2 })],
    ['EAI_AGAIN', 'a name server that refuses', () => ({ error: 5 })],
    ['EAI_AGAIN', 'a name server that is silent', () => 'silent'],
    [
      'EAI_AGAIN',
      'one kind does not exist, the other is not answered',
      ({ type }) => (type === 'A' ? { error: 3 } : 'silent'),
    ],
  ])('%s, without the name: %s (G48)', async (code, _, answer) => {
    dns.answer = answer;
    const resolver = resolverWith({ lookUpMs: 200, questionMs: 50 });
    const error = await ask(resolver, 'secret.example').catch((thrown) => thrown);
    expect(error).toMatchObject({ code });
    expect(`${error.stack}${JSON.stringify(error)}`).not.toContain('secret.example');
    const call = post(new OutboundTransport(configOf(''), resolver), 'https://secret.example/');
    await expect(call).rejects.toMatchObject({ failure: 'UNANSWERED', reason: `no answer (${code})` });
  });

  test('names that are never answered hold up no other look-up, and end at the deadline of their calls (G48, L40)', async () => {
    const transport = new OutboundTransport(configOf(''), resolverWith());
    const hosts = Array.from({ length: 8 }, (_, n) => `x${n}.slow.example`);
    const calls = hosts.map((host) => post(transport, `https://${host}/hook`, 1_500).catch((error) => error));
    await until(() => namesAsked().size === 8);
    const orders = new OrderTransport({ connections: 1, timeoutMs: 1_000 });
    const order = await orders.request('POST', `http://localhost:${port}`, '/order', {}, '{}');
    expect(order).toMatchObject({ kind: 'answered', status: 200 });
    expect(await lookup('localhost')).toMatchObject({ address: expect.any(String) });
    await orders.close();
    // nothing but the deadline has ended them
    expect(await Promise.race([...calls, 'they go on'])).toBe('they go on');
    const late = { failure: 'UNANSWERED', reason: 'no answer within 2 s' };
    expect(await Promise.all(calls)).toEqual(hosts.map(() => expect.objectContaining(late)));
  });

  test('an address is saved although its name is not answered in time: each call checks it again (G28, G48)', async () => {
    const transport = new OutboundTransport(configOf(''), resolverWith({ lookUpMs: 100 }));
    expect(await transport.refusalNow('https://x.slow.example/')).toBeUndefined();
    dns.answer = ({ type }) => (type === 'A' ? ['10.1.2.3'] : []);
    const refused = 'the address does not lead to the public internet';
    expect(await transport.refusalNow('https://inside.example/')).toBe(refused);
    await expect(post(transport, 'https://inside.example/')).rejects.toMatchObject({ failure: 'REFUSED' });
  });

  test('callers of one host share a look-up; it goes on while one of them waits, and ends with the last (G48)', async () => {
    const resolver = resolverWith();
    const [first, second] = [new AbortController(), new AbortController()];
    const gone = ask(resolver, 'hooks.example', first.signal);
    const stays = ask(resolver, 'hooks.example', second.signal);
    await until(() => dns.asked.length === 2);
    first.abort(new Error('the first has gone'));
    await expect(gone).rejects.toThrow('the first has gone');
    const third = ask(resolver, 'hooks.example');
    second.abort(new Error('the second has gone'));
    await expect(stays).rejects.toThrow('the second has gone');
    ended.abort(new Error('all have gone'));
    await expect(third).rejects.toThrow('all have gone');
    await expect(ask(resolver, 'hooks.example')).rejects.toThrow('all have gone');
    expect(dns.asked).toHaveLength(2);
    // the next caller begins again
    dns.answer = ({ type }) => (type === 'A' ? ['203.0.114.1'] : []);
    expect(await ask(resolver, 'hooks.example', new AbortController().signal)).toHaveLength(1);
    expect(dns.asked).toHaveLength(4);
  });

  test('of too many look-ups the oldest gives way, and a name that is answered is found meanwhile (G48, L175)', async () => {
    const resolver = resolverWith();
    const transport = new OutboundTransport(configOf(''), resolver);
    const oldest = post(transport, 'https://x0.slow.example/').catch((error) => error);
    await until(() => namesAsked().size === 1);
    const others = Array.from({ length: 31 }, (_, n) => ask(resolver, `x${n + 1}.slow.example`).catch(() => 'ended'));
    // a second caller of the same host takes no place
    const same = ask(resolver, 'x31.slow.example').catch(() => 'ended');
    await until(() => namesAsked().size === 32);
    expect(await Promise.race([oldest, ...others, 'they go on'])).toBe('they go on');
    dns.answer = ({ type }) => (type === 'A' ? ['203.0.114.1'] : []);
    expect(await ask(resolver, 'hooks.example')).toHaveLength(1);
    expect(await oldest).toMatchObject(BUSY);
    expect(await Promise.race([...others, same, 'they go on'])).toBe('they go on');
    ended.abort();
    expect(new Set(await Promise.all([...others, same]))).toEqual(new Set(['ended']));
  });

  test('a look-up ends after its limit, however many name servers are silent (L175)', async () => {
    const silent = await Promise.all([DnsServer.open(), DnsServer.open(), DnsServer.open()]);
    const servers = silent.flatMap((each) => each.servers);
    const startedAt = performance.now();
    const resolver = new HostResolver({ servers, lookUpMs: 300, questionMs: 250 });
    await expect(ask(resolver, 'x.slow.example')).rejects.toMatchObject({ code: 'EAI_AGAIN' });
    expect(performance.now() - startedAt).toBeLessThan(700);
    for (const each of silent) each.close();
  });

  test('a host that OUTBOUND_ALLOW names may stand in /etc/hosts; what a network allows comes from DNS (G48)', async () => {
    const named = new OutboundTransport(configOf('localhost'), resolverWith());
    expect(await post(named, `http://localhost:${port}/`)).toMatchObject({ status: 200 });
    expect(await named.refusalNow(`http://localhost:${port}/`)).toBeUndefined();
    expect(dns.asked).toEqual([]);
    const byNetwork = new OutboundTransport(configOf('127.0.0.0/8'), resolverWith({ lookUpMs: 100 }));
    const call = post(byNetwork, 'https://localhost:8443/');
    await expect(call).rejects.toMatchObject({ reason: 'no answer (EAI_AGAIN)' });
    expect(namesAsked()).toEqual(new Set(['localhost']));
  });
});
