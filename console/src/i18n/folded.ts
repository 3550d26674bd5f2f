import { normalized } from '../../../src/domain/text.js';

/** The letters of a text without accents and case: what people type to find it. */
export const folded = (text: string): string => normalized(text, 'NFD').replace(/\p{M}/gu, '').toLowerCase();
