import { ApiOperation } from '@nestjs/swagger';

/** Says what a route does: one line, and a text for the page at /docs. What a route refuses is {@link Refuses}. */
export const Does = (summary: string, description: string) => ApiOperation({ summary, description });
