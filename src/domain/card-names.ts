import { normalized } from './text.js';

/** What the name of a field says about the numbers in it. */
export type Hint = 'card' | 'other' | 'none';

/** Words of a field's name that say that it has a card number. */
const CARD_WORDS = new Set(['card', 'cartao', 'tarjeta', 'pan', 'cardnumber', 'creditcard', 'debitcard', 'ccnumber']);
/** Words of a field's name that say that it has another number, without one of {@link CARD_WORDS}. */
const OTHER_WORDS = new Set([
  ...['id', 'uuid', 'guid', 'key', 'chave', 'code', 'codigo', 'serial', 'imei', 'invoice', 'fatura', 'nfe', 'nfce'],
  ...['ean', 'gtin', 'upc', 'sku', 'barcode', 'barra', 'nsu', 'tid', 'rrn', 'arn', 'cpf', 'cnpj'],
  ...['phone', 'tel', 'telephone', 'telefone', 'fone', 'celular', 'mobile', 'whatsapp', 'timestamp', 'date', 'time'],
]);

/** Whether a name may be one of a secret: a quick test, since the names of every sale are tested. */
const MAY_BE_SECRET = /cv[vcn]|cav2|verif|thru|secur|segur|track|trilha|pin|exp|valid|venc/i;
/** The name of a security code, a PIN or a track, without what stands between its words (W48). */
const SECRET =
  /^(?:card|cartao|tarjeta|payment)?(?:cv[vcn]2?|cav2|(?:security|verification)code|verificationvalue|codigo(?:de)?(?:seguranca|seguridad)|pinblock|track[123]?|trilha[123]?)(?:number|value|valor|code|data)?$/;
const PIN = /^(?:card|cartao|tarjeta)?pin$/;
/** The end of validity. Other things than cards expire, too: products, and codes for a payment. */
const EXPIRY =
  /(?:expiry|expiration|expires|exp|validthru|goodthru|validade|vencimento|vencimiento)(?:date|month|year|mes|ano)?(?:d[oe])?(?:card|cartao|tarjeta)?$/;
const SAYS_CARD = /card|cartao|tarjeta|^expiry/;

/** What a name says; a name without a word of its own means what the object around it means. */
export function hintOf(name: string, around: Hint = 'none'): Hint {
  const words = plain(name)
    .split(/[^a-z]+/)
    .map((word) => (CARD_WORDS.has(word) || OTHER_WORDS.has(word) ? word : word.replace(/s$/, '')));
  if (words.some((word) => CARD_WORDS.has(word))) return 'card';
  if (words.some((word) => OTHER_WORDS.has(word))) return 'other';
  return around === 'card' ? 'card' : 'none';
}

/**
 * Whether a field is never kept, whatever it has: the security code, the PIN, the track or the expiry of a card (W48).
 * @param around what the object around the field says
 * @param isOfItem an item of the sale has an expiry of its own
 */
export function isSecret(name: string, around: Hint, isOfItem: boolean): boolean {
  const joined = plain(name).replaceAll(/[^a-z\d]/g, '');
  if (SECRET.test(joined)) return true;
  const isOfCard = around === 'card' || (SAYS_CARD.test(joined) && !isOfItem);
  return isOfCard && (PIN.test(joined) || EXPIRY.test(joined));
}

/** Whether {@link isSecret} may say so. */
export function mayBeSecret(name: string): boolean {
  return MAY_BE_SECRET.test(name);
}

/** A name in lower case, with blanks between the words of camel case, without accents. */
function plain(name: string): string {
  return normalized(name, 'NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ')
    .toLowerCase();
}
