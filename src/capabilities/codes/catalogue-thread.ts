// Begins a thread that reads catalogues (I14): CatalogueThreads starts it. Nothing of the application is loaded here.
import { serveWork } from '../../platform/files/thread-work.js';
import { readCatalogue } from './read-catalogue.js';

serveWork(async (_, input) => readCatalogue(input as { readonly bytes: Uint8Array }));
