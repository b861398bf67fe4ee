import { z } from 'zod';

const refusalSchema = z.object({
  error: z.object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()).optional() }),
});

/** An error of the service. */
export type Refusal = z.infer<typeof refusalSchema>['error'];

/** A response of the service: its body, or the error that it has instead. */
export type ServiceResponse =
  { readonly body: unknown; readonly refusal: undefined } | { readonly body: undefined; readonly refusal: Refusal };

export interface ServiceClient {
  get(path: string, query?: Readonly<Record<string, string>>): Promise<ServiceResponse>;
  post(path: string, body: object): Promise<ServiceResponse>;
}

/** Calls the REST contract with an API key, and returns errors as values. */
export function createServiceClient({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): ServiceClient {
  const call = async (path: string, init: RequestInit): Promise<ServiceResponse> => {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const response = await fetch(`${baseUrl}${path}`, { ...init, headers });
    const body: unknown = await response.json();
    const parsed = refusalSchema.safeParse(body);
    return parsed.success ? { body: undefined, refusal: parsed.data.error } : { body, refusal: undefined };
  };
  return {
    get: (path, query = {}) => call(`${path}?${new URLSearchParams(query).toString()}`, { method: 'GET' }),
    post: (path, body) => call(path, { method: 'POST', body: JSON.stringify(body) }),
  };
}
