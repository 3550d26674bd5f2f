import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';

/** OpenAPI: the page at /docs, the document at /docs-json. */
export function serveDocs(app: NestFastifyApplication): void {
  const about = new DocumentBuilder()
    .setTitle('Terminal-to-POS order relay')
    .setDescription(
      'Keeps every sale a payment terminal reports and registers it as an order in the POS of the restaurant.',
    )
    .setVersion('1.0.0')
    .addBearerAuth()
    .addBasicAuth()
    .build();
  SwaggerModule.setup('docs', app, () => SwaggerModule.createDocument(app, about));
}
