import { Injectable } from '@nestjs/common';
import { SecretBox } from '../../platform/secrets/secret-box.js';
import { type Cursor, cursorAt, readCursor, timeOf, writeCursor } from './receipt-cursor.js';

/** What the key of the cursors is derived for. */
const PURPOSE = 'receipt-cursor';

/** Writes and reads the cursors of receipts, which are authenticated: they name what a statement looks for (V27). */
@Injectable()
export class ReceiptCursors {
  constructor(private readonly secrets: SecretBox) {}

  /** @returns the cursor as one opaque text, safe in a URL: `<cursor>.<key name>.<HMAC>` */
  write(cursor: Cursor): string {
    const text = writeCursor(cursor);
    return `${text}.${this.secrets.sign(text, PURPOSE)}`;
  }

  /**
   * Reads the cursor of a client. One of the version before has no authentication, and one of a key that this instance does not have cannot be
   * checked: of both the time counts, and nothing else.
   * @returns undefined when the text is no cursor of the relay
   */
  read(text: string): Cursor | undefined {
    const [cursor = '', keyName = '', mac = '', ...rest] = text.split('.');
    if (rest.length > 0) return undefined;
    const found = text.includes('.') ? this.secrets.verify(cursor, PURPOSE, `${keyName}.${mac}`) : 'unknown key';
    if (found === 'right') return readCursor(cursor);
    const at = found === 'unknown key' ? timeOf(cursor) : undefined;
    return at === undefined ? undefined : cursorAt(at);
  }
}
