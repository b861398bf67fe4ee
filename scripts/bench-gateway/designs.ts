/** The servers that are compared; each runs in a process of its own. */
export type Design = 'bare' | 'edge' | 'generated';

export const DESIGNS: readonly Design[] = ['bare', 'edge', 'generated'];
