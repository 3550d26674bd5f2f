import { POS_STATES, type PosState } from '../../domain/acceptance.js';
import type { JobAction } from '../../domain/job.js';
import { isUuid } from '../../domain/text.js';
import { problem } from '../../platform/http/problem.js';
import { EVENT_OF } from '../../pos/vendors/open-delivery/events.js';

export { EVENT_OF };

/** The events of what the POS has said (Q17). A cancel that it has done was an event before. */
export const EVENT_OF_STATE = {
  ACCEPTED: 'CONFIRMED',
  REFUSED: 'CANCELLED',
  PREPARING: 'PREPARING',
  READY: 'READY_FOR_PICKUP',
  DISPATCHED: 'DISPATCHED',
  PICKED_UP: 'PICKED_UP',
  DELIVERED: 'DELIVERED',
  CANCELLED: 'CANCELLED',
} as const satisfies Record<PosState, string>;

export type EventType = (typeof EVENT_OF)[JobAction] | (typeof EVENT_OF_STATE)[PosState];
export const EVENT_TYPES: readonly EventType[] = [
  ...new Set([...Object.values(EVENT_OF), ...Object.values(EVENT_OF_STATE)]),
];

const ACTIONS = Object.keys(EVENT_OF) as JobAction[];
/** The most events in an answer, and in an acknowledgement (L263). */
export const MOST_EVENTS = 100;
const MAX_TYPES = 50;

export interface WantedEvents {
  readonly actions: readonly JobAction[];
  readonly states: readonly PosState[];
  /** events of orders that are not asked for: they wait, and are not acknowledged by the omission (Q6) */
  readonly leftOut: readonly EventType[];
}

/** Reads `eventType` of a poll, which may be repeated; unknown types have no events. @throws 400 VALIDATION_FAILED */
export function readWanted(query: Readonly<Record<string, unknown>>): WantedEvents {
  const { eventType } = query;
  if (eventType === undefined) return { actions: ACTIONS, states: POS_STATES, leftOut: [] };
  const types: readonly unknown[] = Array.isArray(eventType) ? eventType : [eventType];
  if (types.length > MAX_TYPES || types.some((type) => typeof type !== 'string'))
    throw problem('VALIDATION_FAILED', [`eventType must be repeated at most ${MAX_TYPES} times`]);
  const actions = ACTIONS.filter((action) => types.includes(EVENT_OF[action]));
  return {
    actions,
    states: POS_STATES.filter((state) => types.includes(EVENT_OF_STATE[state])),
    leftOut: ACTIONS.filter((action) => !actions.includes(action)).map((action) => EVENT_OF[action]),
  };
}

/** One entry of an acknowledgement. */
export interface Acknowledged {
  readonly id: string;
  readonly orderId: string;
  readonly eventType: string;
}

/** Reads the body of an acknowledgement. @throws 400 VALIDATION_FAILED */
export function readAcknowledged(body: unknown): readonly Acknowledged[] {
  if (!Array.isArray(body) || body.length > MOST_EVENTS)
    throw problem('VALIDATION_FAILED', [`the body must be a list of at most ${MOST_EVENTS} events`]);
  const problems: string[] = [];
  const events = body.map((entry, i): Acknowledged => {
    const { id, orderId, eventType } = (entry ?? {}) as Partial<Record<keyof Acknowledged, unknown>>;
    if (typeof id !== 'string' || !isUuid(id)) problems.push(`[${i}].id must be the eventId of an event, a UUID`);
    if (typeof orderId !== 'string' || !isUuid(orderId)) problems.push(`[${i}].orderId must be a UUID`);
    if (typeof eventType !== 'string') problems.push(`[${i}].eventType must be text`);
    return { id: String(id).toLowerCase(), orderId: String(orderId).toLowerCase(), eventType: String(eventType) };
  });
  if (problems.length > 0) throw problem('VALIDATION_FAILED', problems);
  return events;
}
