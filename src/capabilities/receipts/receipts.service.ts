import { Injectable } from '@nestjs/common';
import { problem } from '../../platform/http/problem.js';
import { ReceiptCursors } from './receipt-cursors.js';
import type { ReceiptsQueryDto } from './receipts.dto.js';
import { type Reader, type Receipt, type ReceiptPage, ReceiptsReader } from './receipts-reader.js';
import { WaitingPolls } from './waiting-polls.js';

/** Receipts, pulled: a sender asks what became of its sales (V20 to V26). */
@Injectable()
export class ReceiptsService {
  constructor(
    private readonly reader: ReceiptsReader,
    private readonly polls: WaitingPolls,
    private readonly cursors: ReceiptCursors,
  ) {}

  /**
   * The receipts after a cursor; without any, the answer waits.
   * @param gone aborts when the client has closed the connection
   * @throws 400 VALIDATION_FAILED for a wrong cursor; 429 TOO_MANY_POLLS; 401 when the sender has ended while it waited; as {@link ReceiptsReader.page}
   */
  async list(reader: Reader, { after, wait }: ReceiptsQueryDto, gone: AbortSignal): Promise<ReceiptPage> {
    const cursor = after === undefined ? undefined : this.cursors.read(after);
    if (after !== undefined && !cursor)
      throw problem('VALIDATION_FAILED', [
        'after must be the cursor of another answer; leave it out for the last 24 hours',
      ]);
    const page = await this.reader.page(reader, cursor, gone);
    if (page.data.length > 0 || wait === 0) return page;
    reader.rests?.();
    const waited = await this.polls.wait(reader, page, wait * 1_000, gone);
    // what allows the poll may have ended meanwhile (A40)
    return waited.data.length === 0 || (await reader.isCurrent()) ? waited : page;
  }

  /** @throws 404 when the sender has no such sale, or it was removed by retention */
  async one(reader: Reader, jobId: string): Promise<Receipt> {
    const receipt = await this.reader.one(reader, jobId);
    if (receipt) return receipt;
    throw problem('NOT_FOUND', 'this sender has no sale with this jobId');
  }
}
