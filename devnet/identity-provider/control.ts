import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

const outageSchema = z.object({ mode: z.enum(['none', 'error', 'hang']) });
const tokenSchema = z.object({
  customerId: z.string(),
  subject: z.string(),
  role: z.string(),
  expiresInSeconds: z.number().optional(),
});

/** Mode of the well-known documents: served normally, refused with 503, or left without a response. */
export type Outage = z.infer<typeof outageSchema>['mode'];

export interface Controls {
  rotate(): Promise<void>;
  setOutage(mode: Outage): void;
  issueToken(request: z.infer<typeof tokenSchema>): Promise<string>;
}

export interface ControlResponse {
  readonly status: number;
  readonly body: unknown;
}

/** Executes the control requests that tests send over HTTP. */
export function createControl(controls: Controls): (request: IncomingMessage) => Promise<ControlResponse> {
  const routes: Readonly<Record<string, (body: unknown) => Promise<unknown>>> = {
    '/control/rotate': async () => {
      await controls.rotate();
      return {};
    },
    '/control/outage': (body) => {
      const { mode } = outageSchema.parse(body);
      controls.setOutage(mode);
      return Promise.resolve({ mode });
    },
    '/control/token': async (body) => ({ token: await controls.issueToken(tokenSchema.parse(body)) }),
  };
  return async (request) => {
    const route = routes[request.url ?? ''];
    if (route === undefined) return { status: 404, body: { error: 'not_found' } };
    try {
      const sent = await text(request);
      return { status: 200, body: await route(sent === '' ? {} : JSON.parse(sent)) };
    } catch (error) {
      return { status: 400, body: { error: 'invalid_request', reason: String(error) } };
    }
  };
}
