import { observable } from './observable.js';

/** Room for an index beside what it leads to; in the style sheets it is the same width. */
const media = matchMedia('(min-width: 64rem)');
const wide = observable(media.matches);
media.addEventListener('change', ({ matches }) => wide.set(matches));

/** Whether the window is that of a desk. */
export const useWide = wide.use;
