import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';

const HEADER = 12;
const TYPES: Record<number, 'A' | 'AAAA'> = { 1: 'A', 28: 'AAAA' };

export interface Question {
  readonly name: string;
  readonly type: 'A' | 'AAAA' | undefined;
}
/** Addresses of the asked type, an error (3: no such name, 2: the server fails), or no answer at all. */
export type DnsAnswer = readonly string[] | { readonly error: number } | 'silent';

/** A name server. */
export class DnsServer {
  readonly asked: Question[] = [];
  answer: (question: Question) => DnsAnswer = () => 'silent';

  private constructor(private readonly socket: Socket) {
    socket.on('message', (message, { port, address }) => {
      const reply = this.replyTo(message);
      if (reply) socket.send(reply, port, address);
    });
  }

  static async open(): Promise<DnsServer> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new DnsServer(socket);
  }

  /** As `Resolver.setServers` takes it. */
  get servers(): string[] {
    return [`127.0.0.1:${this.socket.address().port}`];
  }

  close(): void {
    this.socket.close();
  }

  private replyTo(message: Buffer): Buffer | undefined {
    const labels: string[] = [];
    let at = HEADER;
    for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
      labels.push(message.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const question = { name: labels.join('.').toLowerCase(), type: TYPES[message.readUInt16BE(at + 1)] };
    this.asked.push(question);
    const answer = this.answer(question);
    if (answer === 'silent') return undefined;
    const addresses = 'error' in answer ? [] : answer;
    const head = Buffer.from(message.subarray(0, HEADER));
    head.writeUInt16BE(0x8180 | ('error' in answer ? answer.error : 0), 2);
    head.writeUInt16BE(addresses.length, 6);
    head.writeUInt16BE(0, 10);
    return Buffer.concat([head, message.subarray(HEADER, at + 5), ...addresses.map(recordOf)]);
  }
}

/** A record for the name of the question, valid for a second. */
function recordOf(address: string): Buffer {
  const bytes = Buffer.from(ipaddr.parse(address).toByteArray());
  const type = bytes.length === 4 ? 1 : 28;
  return Buffer.concat([Buffer.of(0xc0, HEADER, 0, type, 0, 1, 0, 0, 0, 1, 0, bytes.length), bytes]);
}
