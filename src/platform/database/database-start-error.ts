/** The server does not answer, or does not fit this relay; the message is one line for people. */
export class DatabaseStartError extends Error {}
