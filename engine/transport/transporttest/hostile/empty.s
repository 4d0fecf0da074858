// An empty file lets functions without a body compile.
