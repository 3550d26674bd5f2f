import { PosClient } from './client.js';

/** Sends events to the POSs whose address somebody typed (Q19). */
export class PushClient extends PosClient {}
