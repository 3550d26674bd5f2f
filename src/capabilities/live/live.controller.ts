import { PassThrough } from 'node:stream';
import { Controller, Get, Headers, Res } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CallerSignIn, type SignIn } from '../../auth/principal.js';
import { ClientGone } from '../../platform/http/client-gone.js';
import { Does } from '../../platform/http/does.js';
import { Refuses } from '../../platform/http/openapi/errors.js';
import { problem } from '../../platform/http/problem.js';
import { CallerLink, ForPermission, type Link } from '../../user-links/restaurant.guard.js';
import { LIVE_CODES } from './error-codes.js';
import { LiveStates } from './live-states.js';

/** A stream ends after this time, in ms. The browser opens a new one, and session and role are checked again. */
const STREAM_MS = 60_000;
/** A comment keeps the connection open, in ms. */
const KEEP_ALIVE_MS = 15_000;
/** When the browser opens a new stream, in ms. */
const REOPEN_MS = 1_000;
/** What a client has not read, in bytes. A client that reads too slowly is sent away. */
const MOST_UNREAD = 1_048_576;
const RETRY_AFTER_SECONDS = 60;
/** `Connection: close`: a connection that is kept for the next request would delay the stop of the process. */
const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream',
  'X-Accel-Buffering': 'no',
  Connection: 'close',
};

/** The state of a restaurant, live (N18). */
@ApiTags('restaurants')
@Controller('restaurants/:restaurantId')
export class LiveController {
  constructor(private readonly states: LiveStates) {}

  @Get('live')
  @ForPermission('view_data')
  @Refuses(LIVE_CODES.TOO_MANY_VIEWERS)
  @Does(
    'Streams the state of a restaurant',
    'Server-sent events. `state`: `{state, orders}`, the answers of `GET /restaurants/:id/state` and of the newest orders of the business ' +
      'day, at once and after each change. The stream ends after 60 s; open it again. Without `Accept: text/event-stream` it ends after ' +
      'the first event.',
  )
  @ApiProduces('text/event-stream')
  @ApiOkResponse({ schema: { type: 'string' }, description: 'the events' })
  openStream(
    @CallerLink() { restaurantId, userId }: Link,
    @CallerSignIn() signIn: SignIn,
    @ClientGone() gone: AbortSignal,
    @Headers('accept') accept: string | undefined,
    @Res() reply: FastifyReply,
  ): void {
    const stream = new PassThrough();
    const end = () => void stream.end();
    const write = (text: string) => {
      if (stream.writableLength > MOST_UNREAD) stream.destroy();
      else if (stream.writable) stream.write(text);
    };
    write(`retry: ${REOPEN_MS}\n\n`);
    const send = (json: string) => {
      write(`event: state\ndata: ${json}\n\n`);
      if (!accept?.includes('text/event-stream')) end();
    };
    const remove = this.states.add({ userId, restaurantId, signIn, send, end });
    if (!remove) {
      const text = 'too many pages are open: read the state of the restaurant instead';
      throw problem(LIVE_CODES.TOO_MANY_VIEWERS, text, RETRY_AFTER_SECONDS);
    }
    const timers = [setTimeout(end, STREAM_MS), setInterval(() => write(':\n\n'), KEEP_ALIVE_MS)];
    stream.once('close', () => {
      for (const timer of timers) clearTimeout(timer);
      remove();
    });
    gone.addEventListener('abort', () => stream.destroy());
    reply.headers(STREAM_HEADERS).send(stream);
  }
}
