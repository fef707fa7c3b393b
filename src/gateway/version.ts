/** The version that `/`, the banner and `weir version` show; equal to package.json's, which a test checks. */

export const version = '0.1.0';
