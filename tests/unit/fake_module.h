/*
 * Kernel modules made by tests: ELF files of nothing but a .modinfo section.
 */
#ifndef FAKE_MODULE_H
#define FAKE_MODULE_H

#include <criterion/criterion.h>

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/fs.h"
#include "gate/util/str.h"

static const char fake_names[] = "\0.modinfo\0.shstrtab";

/* `modinfo` has its strings separated by NUL: "depends=a\0alias=b". */
static inline void fake_module(struct gate_str *out, const char *modinfo,
			       size_t len)
{
	Elf64_Shdr sections[3] = {{0}};
	Elf64_Ehdr h = {0};

	memcpy(h.e_ident, ELFMAG, SELFMAG);
	h.e_ident[EI_CLASS] = ELFCLASS64;
	h.e_ident[EI_DATA] = ELFDATA2LSB;
	h.e_type = ET_REL;
	h.e_shentsize = sizeof *sections;
	h.e_shnum = 3;
	h.e_shstrndx = 2;
	h.e_shoff = sizeof h + len + sizeof fake_names;
	sections[1].sh_name = 1;
	sections[1].sh_type = SHT_PROGBITS;
	sections[1].sh_offset = sizeof h;
	sections[1].sh_size = len;
	sections[2].sh_name = 10;
	sections[2].sh_type = SHT_STRTAB;
	sections[2].sh_offset = sizeof h + len;
	sections[2].sh_size = sizeof fake_names;
	gate_str_add(out, (const char *)&h, sizeof h);
	gate_str_add(out, modinfo, len);
	gate_str_add(out, fake_names, sizeof fake_names);
	gate_str_add(out, (const char *)sections, sizeof sections);
}

static inline void put_file(const char *dir, const char *name, const char *data,
			    size_t len)
{
	char *path = gate_fs_join(dir, name), *folder = strdup(path);
	struct gate_error err;

	*strrchr(folder, '/') = '\0';
	cr_assert_eq(gate_fs_mkdirs(folder, &err), 0, "%s", err.message);
	cr_assert_eq(gate_fs_write(path, data, len, &err), 0, "%s",
		     err.message);
	free(folder);
	free(path);
}

static inline void put_text(const char *dir, const char *name, const char *text)
{
	put_file(dir, name, text, strlen(text));
}

/* Through sizeof, since the strings hold NUL bytes. */
#define put_module(dir, name, modinfo)                                         \
	put_module_(dir, name, modinfo, sizeof modinfo)

static inline void put_module_(const char *dir, const char *name,
			       const char *modinfo, size_t len)
{
	struct gate_str image = {0};

	fake_module(&image, modinfo, len);
	put_file(dir, name, image.data, image.len);
	gate_str_done(&image);
}

#endif
