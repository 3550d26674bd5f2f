import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Machine } from '../../../deploy/cluster/local.mjs';

/** How often relays have left the pool of a HAProxy, by its log. */
export function timesLeft({ folder }: Machine): number {
  return readFileSync(join(folder, 'haproxy.log'), 'utf8').match(/^Server relays\/\w is DOWN/gm)?.length ?? 0;
}

/** The relays that are in the pool of a HAProxy now. */
export async function poolOf({ values }: Machine): Promise<string[]> {
  const text = await new Promise<string>((resolve, reject) => {
    let heard = '';
    const socket = connect(join(values.RUN as string, 'haproxy.sock'), () => socket.write('show stat\n'));
    socket.on('data', (chunk) => (heard += chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(heard));
  });
  const rows = text.split('\n').map((line) => line.split(','));
  const status = rows[0]?.indexOf('status') ?? -1;
  const relays = rows.filter(([pool, name]) => pool === 'relays' && name !== 'BACKEND');
  return relays.filter((row) => row[status] === 'UP').map(([, name]) => name as string);
}
