export declare const runtimeVariables: Readonly<Record<string, string>>;
