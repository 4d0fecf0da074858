module kinit/docs/site

go 1.26

require github.com/imfing/hextra v0.9.7
