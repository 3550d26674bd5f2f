import { connect, type Socket } from 'node:net';
import { type RawAnswer, readAnswers } from './answers.js';

/** Without an answer for this long a request has failed, though the process lives. */
const SILENCE_LIMIT_MS = 20_000;

/** What came back: the answers in their order, without the interim ones; `ended` when the relay closed the connection. */
export interface Exchange {
  readonly answers: readonly RawAnswer[];
  readonly ended: boolean;
  /** neither an answer nor an end came */
  readonly silent: boolean;
}

/** Sends requests byte for byte, one after another; a connection is kept as long as the relay keeps it. */
export class Connection {
  private socket: Socket | undefined;

  /** @param address `http://127.0.0.1:3000` */
  constructor(private readonly address: string) {}

  /**
   * A whole request.
   * @param isHead its answer has no body, even if its headers announce one
   */
  async send(bytes: Buffer, isHead: boolean): Promise<Exchange> {
    const kept = this.socket !== undefined;
    const exchange = await exchanged(
      await this.open(),
      bytes,
      (read) => (isHead ? read.headOnly > 0 : read.complete > 0),
      isHead,
    );
    if (exchange.ended || exchange.silent || wantsClose(exchange)) this.close();
    // a kept connection may have ended while nothing was sent
    if (kept && exchange.ended && exchange.answers.length === 0) return this.send(bytes, isHead);
    return exchange;
  }

  /** An incomplete request, or several: on a new connection, until the relay closes it. */
  async sendAlone(bytes: Buffer): Promise<Exchange> {
    const socket = await opened(this.address);
    const exchange = exchanged(socket, bytes, () => false, false);
    socket.end();
    return exchange.finally(() => socket.destroy());
  }

  close(): void {
    this.socket?.destroy();
    this.socket = undefined;
  }

  private async open(): Promise<Socket> {
    if (this.socket?.destroyed || this.socket?.readableEnded) this.close();
    this.socket ??= await opened(this.address);
    return this.socket;
  }
}

function opened(address: string): Promise<Socket> {
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true, allowHalfOpen: true });
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(socket));
    socket.once('error', reject);
    socket.on('error', () => {});
  });
}

function exchanged(
  socket: Socket,
  bytes: Buffer,
  isEnough: (read: ReturnType<typeof readAnswers>) => boolean,
  isHead: boolean,
): Promise<Exchange> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const finish = (how: { ended: boolean; silent: boolean }) => {
      clearTimeout(silence);
      socket.off('data', receive).off('end', end).off('close', end);
      resolve({ answers: readAnswers(Buffer.concat(chunks), isHead).answers, ...how });
    };
    const receive = (chunk: Buffer) => {
      chunks.push(chunk);
      if (isEnough(readAnswers(Buffer.concat(chunks), isHead))) finish({ ended: false, silent: false });
    };
    const end = () => finish({ ended: true, silent: false });
    const silence = setTimeout(() => finish({ ended: false, silent: true }), SILENCE_LIMIT_MS);
    socket.on('data', receive).once('end', end).once('close', end);
    socket.write(bytes);
  });
}

function wantsClose({ answers }: Exchange): boolean {
  return answers.at(-1)?.headers.get('connection')?.toLowerCase() === 'close';
}
