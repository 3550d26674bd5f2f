import type { PosWireSettings } from '../../../platform/config/pos-config.js';
import type { PosVendor, WireSignIn } from '../../vendor.js';
import { readError, readSighting, readToken } from './answers.js';
import { isKnownTender, posPayment, tenderName, tenderRules } from './tenders.js';
import { cancelRequest, headers, lookupPath, orderRequest, signInRequest } from './wire.js';

/** The vendor `partner`: its partners sign in with an id and a secret, and send both with every request (T1, T5). */
export function partner(settings: PosWireSettings): PosVendor & { readonly signIn: WireSignIn } {
  const tenders = tenderRules(settings);
  const { lookupPath: template } = settings;
  return {
    acceptsTender: (tenderType) => posPayment(tenderType, tenders) !== undefined,
    tenderName,
    tenderCode: (tenderType) => posPayment(tenderType, tenders)?.code ?? null,
    knowsTender: (tenderType) => isKnownTender(tenderType, tenders),
    needs: 'codeStorePos',
    foldsOddLines: settings.oddLines === 'fold',
    signIn: { request: signInRequest, readToken },
    headers: (credentials, token) => headers(credentials, token, settings),
    createOrder: (order) => orderRequest(order, tenders, settings),
    cancelOrder: (order) => cancelRequest(order, settings),
    lookup: template ? { path: (order) => lookupPath(order, template), read: readSighting } : undefined,
    readError: (reply) => readError(reply, settings),
  };
}
